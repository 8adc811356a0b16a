import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { beforeAll, expect, it } from 'vitest'
import { importCollection } from '../../../e2e/previews/support/collection.ts'
import { listAll, setUpMarket, until } from '../../../e2e/support/market.ts'
import { setUpBrowser } from '../support/browser.ts'

const ITEMS = 9

const market = setUpMarket()
const browser = setUpBrowser()
let slug: string
let ids: string[]
beforeAll(async () => {
  const owner = await market.trader()
  const pixels = { raw: { width: 96, height: 96, channels: 3 } } as const
  const pictures = await Promise.all(
    Array.from({ length: ITEMS }, () =>
      sharp(randomBytes(96 * 96 * 3), pixels)
        .png()
        .toBuffer(),
    ),
  )
  const collection = await importCollection(
    market,
    owner.wallet,
    pictures.map((body) => ({ contentType: 'image/png', body })),
  )
  slug = collection.slug
  ids = collection.ids
  await listAll(market, owner, slug, ids.slice(0, 4), 1_840_000)
}, 180_000)

/** Bounding boxes of images, by URL, and of `h1` and `h1 + p` on the first screen. */
const BOXES = `(() => {
  const boxes = {}
  for (const each of document.querySelectorAll('#root h1, #root h1 + p, #root img[src*="/content/"], #root img[src*="/preview/"]')) {
    const { x, y, width, height } = each.getBoundingClientRect()
    const name = each.getAttribute('src') ?? (each.localName === 'h1' ? 'h1' : 'h1 + p')
    if (width > 40 && y < innerHeight) boxes[name] ??= [x, y, width, height].map(Math.round)
  }
  return boxes
})()`

const PAGES: [name: string, path: () => string, pictures: number][] = [
  ['home', () => '/', 2],
  ['collection', () => `/collection/${slug}`, 2],
  ['inscription', () => `/inscription/${ids[0]}`, 1],
  ['wallet', () => '/wallet', 0],
]

it.each(
  PAGES.flatMap((page) => ([390, 1440, 1920] as const).map((width) => [page[0], width, page] as const)),
)('matches the layout of %s at %i px', async (_name, width, [, path, pictures]) => {
  const visitor = await browser.visitor(market.server.url, {
    context: { viewport: { width, height: 844 } },
  })
  const { page } = visitor
  // With the font in the cache, text has its final width from the start.
  await visitor.go('/how')
  const loads: string[] = []
  page.on('request', (request) => request.resourceType() === 'image' && loads.push(request.url()))
  await page.addInitScript(
    `globalThis.shifts = 0; new PerformanceObserver((list) => { for (const each of list.getEntries()) shifts += each.value }).observe({ type: 'layout-shift', buffered: true })`,
  )
  await page.addInitScript(
    `globalThis.blanks = 0; let begun = false; (function look() { const has = !!document.querySelector('#root h1'); begun ||= has; if (begun && !has) blanks++; requestAnimationFrame(look) })()`,
  )
  // A slow device paints the document while it is still being parsed.
  await (await page.context().newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: 8 })
  let release: () => void = () => {}
  const held = new Promise<void>((done) => (release = done))
  await page.route('**/assets/*.js', async (route) => {
    await held
    await route.continue()
  })
  // A busy server can send a document without the view.
  await until('a document with its view', async () => {
    const response = await fetch(`${market.server.url}${path()}`, { headers: { accept: 'text/html' } })
    return (await response.text()).includes('<h1')
  })
  await page.goto(`${market.server.url}${path()}`, { waitUntil: 'commit' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  if (pictures > 0)
    await expect
      .poll(() =>
        page.evaluate<number>(
          `[...document.querySelectorAll('#view img')].filter((each) => each.complete && each.naturalWidth > 0).length`,
        ),
      )
      .toBeGreaterThanOrEqual(pictures)
  // The width of text depends on the page's font.
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  const before = await page.evaluate<Record<string, number[]>>(BOXES)
  release()
  await page.locator('#main h1').waitFor()
  await page.evaluate('new Promise((done) => setTimeout(done, 500))')
  const after = await page.evaluate<Record<string, number[]>>(BOXES)
  expect(Object.keys(before).length).toBeGreaterThanOrEqual(1 + pictures)
  for (const [name, box] of Object.entries(before))
    for (const [n, length] of box.entries())
      expect(Math.abs(after[name]![n]! - length), `${name}: ${box} then ${after[name]}`).toBeLessThanOrEqual(
        2,
      )
  expect(loads.toSorted()).toEqual([...new Set(loads)].toSorted())
  expect(await page.evaluate<number>('shifts')).toBeLessThan(0.02)
  expect(await page.evaluate<number>('blanks')).toBe(0)
  visitor.assertQuiet()
  await visitor.close()
})
