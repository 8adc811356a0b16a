import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importCollection, settled } from '../../../e2e/previews/support/collection.ts'
import { socketFolder, startRenderer, type TestRenderer } from '../../../e2e/previews/support/renderer.ts'
import { freshWallet, setUpMarket } from '../../../e2e/support/market.ts'
import { setUpBrowser } from '../support/browser.ts'

const ITEMS = 48
/** Maximum bytes of content in a grid. */
const MAX_BYTES = 600_000

const socket = socketFolder()
const market = setUpMarket({ PREVIEW_SOCKET: socket.path })
let renderer: TestRenderer
const browser = setUpBrowser()
let slug: string

/** A 12-megapixel image with grain. */
async function largePicture(): Promise<Buffer> {
  const pixels = { raw: { width: 400, height: 300, channels: 3 } } as const
  return sharp(randomBytes(400 * 300 * 3), pixels)
    .resize(4000, 3000, { fit: 'fill', kernel: 'cubic' })
    .jpeg({ quality: 40 })
    .toBuffer()
}

beforeAll(async () => {
  const pictures = await Promise.all([largePicture(), largePicture(), largePicture()])
  const collection = await importCollection(
    market,
    freshWallet(),
    Array.from({ length: ITEMS }, (_, n) =>
      n % 2 === 0
        ? { contentType: 'image/jpeg', body: pictures[(n / 2) % pictures.length]! }
        : {
            contentType: 'text/html',
            body: `<body style="background:hsl(${n * 7} 80% 50%)"><script>setInterval(() => { document.title = Math.random() }, 50)</script>${'<p>live</p>'.repeat(n)}`,
          },
    ),
  )
  slug = collection.slug
  renderer = await startRenderer(socket.path)
  const states = await settled(market, collection.ids, 280)
  expect([...states.values()].filter(({ state }) => state !== 'done')).toEqual([])
}, 400_000)

afterAll(async () => {
  await renderer?.stop()
  socket.remove()
})

it('loads 48 images in at most 600 kB', async () => {
  const visitor = await browser.visitor(market.server.url, {
    context: { viewport: { width: 1600, height: 4000 } },
  })
  const { page } = visitor
  const session = await visitor.context.newCDPSession(page)
  await session.send('Network.enable')
  const paths = new Map<string, string>()
  let bytes = 0
  session.on('Network.responseReceived', ({ requestId, response }) =>
    paths.set(requestId, new URL(response.url).pathname),
  )
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (/^\/(content|preview)\//.test(paths.get(requestId) ?? '')) bytes += encodedDataLength
  })
  const asked = (prefix: string) => [...paths.values()].filter((path) => path.startsWith(prefix)).length
  await visitor.go(`/collection/${slug}`)
  const pictures = page.locator('article img')
  for (let n = 0; n < ITEMS; n++) await pictures.nth(n).scrollIntoViewIfNeeded()
  await page.waitForFunction(
    `(() => { const all = [...document.querySelectorAll('article img')]; return all.length >= ${ITEMS} && all.every((each) => each.complete && each.naturalWidth > 0) })()`,
  )
  console.log(`a grid of ${ITEMS}: ${bytes} bytes, of ${asked('/preview/')} thumbnails`)
  expect(asked('/preview/')).toBeGreaterThanOrEqual(ITEMS)
  expect(asked('/content/')).toBe(0)
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
  expect(page.frames()).toHaveLength(1)
  // Hovers over pages faster than they are unloaded.
  let most = 0
  for (let n = 0; n < 12; n++) {
    await page.locator('article').nth(n).hover()
    await page.waitForTimeout(n < 2 ? 1500 : 350)
    most = Math.max(most, page.frames().length - 1)
  }
  expect(most).toBeGreaterThanOrEqual(1)
  expect(most).toBeLessThanOrEqual(4)
  await page.mouse.move(0, 0)
  await expect.poll(() => page.frames().length).toBe(1)
  await visitor.close()
})

it('runs at most four items at a time', async () => {
  const visitor = await browser.visitor(market.server.url, {
    context: { viewport: { width: 1600, height: 4000 } },
  })
  const { page } = visitor
  await visitor.go(`/collection/${slug}`)
  const links = page.locator('article a[href^="/inscription/"]')
  await links.nth(ITEMS / 2).waitFor()
  const running = () => page.locator('article iframe').count()
  const tellEach = (event: string, pointerType: string) =>
    page.evaluate(
      `for (const card of document.querySelectorAll('article')) card.dispatchEvent(new PointerEvent('${event}', { pointerType: '${pointerType}' }))`,
    )
  await tellEach('pointerenter', 'mouse')
  await expect.poll(running).toBe(4)
  await page.waitForTimeout(1000)
  expect(await running()).toBe(4)
  await tellEach('pointerleave', 'mouse')
  await expect.poll(running).toBe(0)

  await tellEach('pointerenter', 'touch')
  await page.waitForTimeout(1000)
  expect(await running()).toBe(0)

  // With the keyboard, the focused item runs until it loses the focus.
  await page.keyboard.press('Tab')
  const counts: number[] = []
  for (let n = 0; n < 8; n++) {
    await links.nth(n).focus()
    await page.waitForTimeout(600)
    counts.push(await running())
  }
  expect(Math.max(...counts), counts.join()).toBe(1)
  await page.evaluate('document.activeElement.blur()')
  await expect.poll(running).toBe(0)
  await visitor.close()
})
