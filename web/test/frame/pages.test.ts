import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { bid, buy, offer } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { isThorough, sampled } from '../../../e2e/support/effort.ts'
import { agreementFor, listAll, signedPackage, until } from '../../../e2e/support/market.ts'
import { coinsOf, offering } from '../../../e2e/support/offers.ts'
import { ALL_RULES, violations } from '../support/axe.ts'
import { SIGN, type Visitor } from '../support/browser.ts'
import { acceptSwap, proposeSwap, setUpDemoMarket } from '../support/demo-market.ts'
import { comparePicture, isTaking, SIZES, type Size } from '../support/pictures.ts'
import { unmarkedNames } from '../support/unmarked.ts'

/**
 * Checks every page, light and dark, on phone and desktop (in a thorough run, other widths too): no axe violations, no console errors, no
 * horizontal scrolling, and a first load within the budget. A thorough run also compares with docs/screenshots; SCREENSHOTS=1 updates them,
 * without axe.
 */
/** Widths in a sampled run. */
const SAMPLE: readonly Size[] = ['desktop', 'phone']
/** Colour schemes in the shortest run; elsewhere each size is checked in both. */
const schemesOf = (size: Size) =>
  sampled<readonly ('light' | 'dark')[]>(
    ['light', 'dark'],
    ['light', 'dark'],
    [size === 'phone' ? 'dark' : 'light'],
  )

/**
 * Limits for a first load, in bytes and counts, without inscription content. Scripts are measured with brotli, as over https; everything
 * else as received.
 */
const BUDGET = {
  script: { home: 70_000, collection: 82_000, inscription: 82_000, wallet: 70_000 } as Record<string, number>,
  style: 12_000,
  requests: 22,
  files: 6,
  /** The document with its embedded responses, and the reads. */
  answers: 20_000,
  /** API reads until the page is idle. */
  reads: 3,
}

const {
  market,
  browser,
  owner: first,
  buyer: second,
  itemsOf,
} = setUpDemoMarket({ TEST_WALLETS: 'on' }, [30_000_000, 20_000_000])
let lamps: string[]
let proposalId: string
beforeAll(async () => {
  const slug = 'harbour-lamps'
  lamps = await itemsOf(slug)
  const charts = await itemsOf('knot-charts')
  await market.anchors(30)
  for (const [n, id] of lamps.slice(0, 9).entries())
    await listAll(
      market,
      n === 7 ? { ...first, escrowForm: 'published' } : first,
      slug,
      [id],
      80_000 + n * 17_000,
    )
  await listAll(market, first, 'knot-charts', charts.slice(0, 4), 210_000)
  for (const id of [lamps[3]!, lamps[5]!]) {
    await buy(second, slug, await agreementFor(market, second, [id]))
    await market.mine()
  }
  for (const id of lamps.slice(6, 8)) {
    const { signed } = await signedPackage(market, second, slug, [id])
    await market.regtest.mineExactly([decodeTransaction(signed[0]!.hex)])
    await market.server.sync()
  }
  await offer(second, slug, await offering(market, second, [lamps[1]!], 64_000))
  const coins = await coinsOf(market, second)
  await bid(second, slug, { target: { kind: 'all' }, priceSats: 60_000, coins })
  const proposal = await proposeSwap(market, first, charts.slice(5, 7))
  proposalId = proposal.id
  await acceptSwap(market, second, { ...proposal, lamp: lamps[3]! })
}, 300_000)

interface Scene {
  name: string
  path: () => string
  ready: (visitor: Visitor) => Promise<unknown>
  signedIn?: boolean
}

const heading = (name: RegExp | string) => (visitor: Visitor) =>
  visitor.page.getByRole('heading', { level: 1, name }).waitFor()

const SCENES: Scene[] = [
  {
    name: 'home',
    path: () => '/',
    ready: (visitor) => visitor.page.getByRole('link', { name: 'Harbour Lamps' }).first().waitFor(),
  },
  {
    name: 'collection',
    path: () => '/collection/harbour-lamps',
    ready: (visitor) => visitor.page.getByRole('article').nth(5).waitFor(),
  },
  {
    name: 'collection-offers',
    path: () => '/collection/harbour-lamps?tab=offers',
    ready: (visitor) => visitor.page.getByRole('button', { name: 'Sell now' }).waitFor(),
  },
  {
    name: 'collection-charts',
    path: () => '/collection/harbour-lamps?tab=analytics',
    ready: (visitor) => visitor.page.getByRole('slider', { name: /^Volume/ }).waitFor(),
  },
  {
    name: 'collection-holders',
    path: () => '/collection/harbour-lamps?tab=holders',
    ready: (visitor) => visitor.page.getByRole('row').nth(3).waitFor(),
  },
  {
    name: 'inscription',
    path: () => `/inscription/${lamps[1]!}`,
    ready: (visitor) => visitor.page.getByRole('tab', { name: 'Offers 1' }).waitFor(),
  },
  ...['offers', 'prices', 'provenance', 'details'].map((tab) => ({
    name: `inscription-${tab}`,
    path: () => `/inscription/${lamps[1]!}?tab=${tab}`,
    ready: (visitor: Visitor) =>
      visitor.page.getByRole('tabpanel').locator('canvas, dl, li').first().waitFor(),
  })),
  {
    name: 'wallet',
    path: () => '/wallet',
    ready: (visitor) => visitor.page.getByRole('article').nth(3).waitFor(),
    signedIn: true,
  },
  {
    name: 'wallet-offers',
    path: () => '/wallet?tab=received',
    ready: (visitor) => visitor.page.getByText('active').first().waitFor(),
    signedIn: true,
  },
  {
    name: 'wallet-escrow',
    path: () => '/wallet?tab=listings',
    ready: async ({ page }) => {
      await page.getByRole('region', { name: 'In escrow' }).getByRole('checkbox').nth(1).check()
      await page.getByText('For sale at').first().waitFor()
      // Scroll to the end, so that the bar does not cover a row.
      await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    },
    signedIn: true,
  },
  {
    name: 'inscription-own',
    path: () => `/inscription/${lamps[1]!}`,
    ready: (visitor) => visitor.page.getByRole('button', { name: 'Accept', exact: true }).waitFor(),
    signedIn: true,
  },
  {
    name: 'inscription-in-escrow',
    path: () => `/inscription/${lamps[6]!}`,
    ready: (visitor) => visitor.page.getByRole('button', { name: 'End old prices on chain' }).waitFor(),
    signedIn: true,
  },
  {
    name: 'inbox',
    path: () => '/inbox',
    ready: (visitor) => visitor.page.getByText('Waiting for you').first().waitFor(),
    signedIn: true,
  },
  {
    name: 'trade-to-complete',
    path: () => `/trades/${proposalId}`,
    ready: (visitor) => visitor.page.getByText('Your turn: complete the trade').waitFor(),
    signedIn: true,
  },
  {
    name: 'wallet-sessions',
    path: () => '/wallet?tab=sessions',
    ready: (visitor) => visitor.page.getByText('This browser').waitFor(),
    signedIn: true,
  },
  {
    name: 'trades',
    path: () => '/trades',
    ready: (visitor) => visitor.page.getByRole('link', { name: /^View trade/ }).waitFor(),
  },
  {
    name: 'trades-to-settle',
    path: () => '/trades?tab=received',
    ready: (visitor) => visitor.page.getByRole('link', { name: /^Review and complete/ }).waitFor(),
    signedIn: true,
  },
  { name: 'trade', path: () => `/trades/${proposalId}`, ready: heading(/^Trade with/) },
  {
    name: 'trade-builder',
    path: () => '/trades/new',
    ready: async ({ page }) => {
      await page.getByLabel('Choose Knot Chart #8').check()
      const next = page.getByRole('button', { name: 'Next: what you get' })
      if (await next.isVisible()) await next.click()
      await page.getByRole('button', { name: /^Add Harbour Lamps/ }).click()
      const get = page.getByRole('region', { name: 'You get' })
      await get.getByRole('checkbox').first().check()
      await page.getByText(/for you by estimated value/).waitFor()
      await page.evaluate('scrollTo(0, 0)')
    },
    signedIn: true,
  },
  {
    name: 'collections',
    path: () => '/collections',
    // Only the table or the list is visible.
    ready: (visitor) =>
      visitor.page
        .getByRole('link', { name: /Night Watch/ })
        .first()
        .waitFor(),
  },
  {
    name: 'activity',
    path: () => '/activity',
    ready: (visitor) => visitor.page.getByText('Sale', { exact: true }).first().waitFor(),
  },
  {
    name: 'market-status',
    path: () => '/market',
    ready: (visitor) => visitor.page.getByText('Trading is open').waitFor(),
  },
  ...['', '/offers', '/errors'].map((page) => ({
    name: `reference${page.replace('/', '-')}`,
    path: () => `/docs${page}`,
    ready: heading(/./),
  })),
  {
    name: 'not-found',
    path: () => '/nowhere',
    ready: (visitor) => visitor.page.getByText('Page not found').waitFor(),
  },
  {
    name: 'collection-not-found',
    path: () => '/collection/harbour-lights',
    ready: (visitor) => visitor.page.getByText('Did you mean').waitFor(),
  },
  {
    name: 'inscription-not-found',
    path: () => `/inscription/${'ab'.repeat(32)}i0`,
    ready: heading('No inscription with this id'),
  },
]

async function wear({ page }: Visitor, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.waitForFunction(`matchMedia('(prefers-color-scheme: ${colorScheme})').matches`)
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
}

async function isWider(visitor: Visitor): Promise<boolean> {
  return visitor.page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth + 1')
}

it.each(isThorough || isTaking ? (Object.keys(SIZES) as Size[]) : SAMPLE)(
  'renders every page accessibly on a %s',
  async (size) => {
    const visitor = await browser.visitor(market.server.url, {
      // Disables transitions, so that axe never sees an intermediate colour.
      context: {
        viewport: SIZES[size],
        hasTouch: size === 'phone' || size === 'tablet',
        reducedMotion: 'reduce',
      },
    })
    const problems: string[] = []
    // Marks of proposals are loaded by a separate request.
    const lookForMarks = (name: string) =>
      until(`the badge of each collection on ${name}`, async () => {
        return (await unmarkedNames(visitor)).length === 0
      })
    const look = async (name: string) => {
      if (await isWider(visitor)) problems.push(`${name}: wider than the screen`)
      await lookForMarks(name)
      for (const [n, colorScheme] of schemesOf(size).entries()) {
        await wear(visitor, colorScheme)
        // The second scheme differs only in colours, so check only the contrast rules.
        const found = isTaking ? [] : await violations(visitor, n === 0 ? ALL_RULES : ['wcag2aa'])
        for (const problem of found) problems.push(`${name}, ${colorScheme}: ${problem}`)
        if (!isThorough && !isTaking) continue
        const changed = await comparePicture(visitor.page, `${name}-${colorScheme}-${size}`)
        if (changed) problems.push(changed)
      }
    }
    for (const scene of SCENES.filter((scene) => !scene.signedIn)) {
      await visitor.go(scene.path())
      await scene.ready(visitor)
      await look(scene.name)
    }
    await visitor.go('/')
    await visitor.page.getByRole('button', { name: 'Connect wallet', exact: true }).first().click()
    await visitor.page.getByRole('dialog').waitFor()
    await look('sign-in')
    await visitor.page.getByRole('button', { name: 'Close' }).click()
    await visitor.signIn('Test wallet 1')
    for (const scene of SCENES.filter((scene) => scene.signedIn)) {
      await visitor.go(scene.path())
      await scene.ready(visitor)
      await look(scene.name)
    }
    await visitor.go(`/inscription/${lamps[1]!}`)
    await visitor.page.getByRole('button', { name: 'Accept', exact: true }).click()
    await visitor.page.getByRole('dialog').getByText('Harbour Lamps').waitFor()
    await lookForMarks('sale ticket')
    await visitor.go('/collection/harbour-lamps?tab=offers')
    await visitor.page.keyboard.press('/')
    await visitor.page.getByRole('combobox', { name: /^Search/ }).fill('harbour')
    await visitor.page
      .getByRole('option', { name: /Harbour Lamps/ })
      .nth(1)
      .waitFor()
    await lookForMarks('palette')
    await visitor.go(`/trades/${proposalId}`)
    await lookForMarks('trade')
    await visitor.page.getByRole('button', { name: /^(Review and complete|Complete at)/ }).click()
    await visitor.page.getByRole('button', { name: SIGN }).waitFor()
    await look('review')
    await visitor.page.getByRole('button', { name: 'Cancel' }).click()
    await visitor.told(/Cancelled\. Nothing was signed\./)
    await visitor.go('/collection/harbour-lamps')
    await visitor.page.getByRole('article').nth(5).waitFor()
    await visitor.signOut()
    await visitor.page.getByRole('button', { name: 'Add the cheapest' }).click()
    const cart = visitor.page.getByRole('dialog', { name: 'Cart' })
    await cart.getByText('Harbour Lamps', { exact: true }).waitFor()
    await look('cart')
    expect(problems).toEqual([])
    // The browser logs a 404 for each missing page and its read.
    const missing = /\/(nowhere|harbour-lights|(ab){32}i0)\)$/
    expect(visitor.consoleErrors.filter((consoleError) => !missing.test(consoleError))).toEqual([])
    await visitor.close()
  },
  1_200_000,
)

const DIST = join(import.meta.dirname, '../../dist')
/** Returns the size of a built file as sent over https. Small files are not compressed. */
function brotliBytes(path: string): number {
  const file = join(DIST, path)
  return statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size
}

it.each(['home', 'collection', 'inscription', 'wallet'])('loads %s within its budget', async (name) => {
  const visitor = await browser.visitor(market.server.url)
  const scene = SCENES.find((scene) => scene.name === name)!
  const session = await visitor.context.newCDPSession(visitor.page)
  await session.send('Network.enable')
  const loaded = new Map<string, { type: string; path: string }>()
  const bytes: Record<string, number> = {}
  const counts: Record<string, number> = {}
  const reads: string[] = []
  session.on('Network.responseReceived', ({ requestId, response, type }) => {
    const { pathname: path } = new URL(response.url)
    const isRead = path.startsWith('/web/') || path === '/status'
    if (isRead) reads.push(path)
    loaded.set(requestId, {
      type: /^\/(content|preview)\//.test(path) ? 'content' : isRead ? 'api' : type.toLowerCase(),
      path,
    })
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const { type, path } = loaded.get(requestId) ?? { type: 'other', path: '' }
    counts[type] = (counts[type] ?? 0) + 1
    bytes[type] = (bytes[type] ?? 0) + (type === 'script' ? brotliBytes(path) : encodedDataLength)
  })
  await visitor.go(scene.path())
  await (scene.signedIn ? heading('Portfolio')(visitor) : scene.ready(visitor))
  await new Promise((done) => setTimeout(done, 1000))
  const shift = await visitor.page.evaluate<number>(`new Promise((resolve) => {
      let sum = 0
      new PerformanceObserver((list) => { for (const each of list.getEntries()) sum += each.value }).observe({ type: 'layout-shift', buffered: true })
      setTimeout(() => resolve(sum), 200)
    })`)
  console.log(`first load of ${name}:`, JSON.stringify({ bytes, counts, reads, shift }))
  expect(bytes.script).toBeLessThanOrEqual(BUDGET.script[name]!)
  expect(bytes.document! + (bytes.api ?? 0)).toBeLessThanOrEqual(BUDGET.answers)
  expect(reads.length, `${reads}`).toBeLessThanOrEqual(BUDGET.reads)
  expect(bytes.stylesheet).toBeLessThan(BUDGET.style)
  expect(counts.script).toBeLessThanOrEqual(BUDGET.files)
  const { content: _, ...others } = counts
  expect(Object.values(others).reduce((sum, each) => sum + each, 0)).toBeLessThan(BUDGET.requests)
  // Visitors cannot click elements that move during the load.
  expect(shift).toBeLessThan(0.02)
  visitor.assertQuiet()
  await visitor.close()
})

it.skipIf(isTaking)('reports a screenshot that differs', async () => {
  const visitor = await browser.visitor(market.server.url, { context: { viewport: SIZES.phone } })
  await visitor.go('/how')
  await heading('How trading works')(visitor)
  expect(await comparePicture(visitor.page, 'home-light-phone')).toMatch(/differ/)
  expect(await comparePicture(visitor.page, 'none')).toMatch(/no picture yet/)
  await visitor.close()
})

it('reports a collection name without its badge', async () => {
  const visitor = await browser.visitor(market.server.url)
  await visitor.go('/')
  await SCENES[0]!.ready(visitor)
  expect(await unmarkedNames(visitor)).toEqual([])
  await visitor.page.evaluate(
    `[...document.querySelectorAll('[data-mark]')].find((mark) => mark.checkVisibility()).remove()`,
  )
  await visitor.page.evaluate(`document.querySelector('main').append('1 of Knot Charts')`)
  expect(await unmarkedNames(visitor)).toHaveLength(2)
  await visitor.close()
})

it('remembers the chosen theme', async () => {
  const visitor = await browser.visitor(market.server.url, { context: { colorScheme: 'light' } })
  const background = () => visitor.page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  await visitor.go('/')
  const choose = async (theme: string) => {
    const select = visitor.page.getByLabel('Theme')
    if (!(await select.isVisible()))
      await visitor.page.getByRole('button', { name: 'Display settings' }).click()
    await select.selectOption(theme)
  }
  await choose('dark')
  expect(await background()).toBe('rgb(11, 12, 15)')
  await visitor.page.reload()
  expect(await background()).toBe('rgb(11, 12, 15)')
  await wear(visitor, 'dark')
  await choose('light')
  expect(await background()).toBe('rgb(251, 250, 248)')
  await choose('system')
  expect(await background()).toBe('rgb(11, 12, 15)')
  visitor.assertQuiet()
  await visitor.close()
})

it('opens dialogs with the keyboard', async () => {
  const visitor = await browser.visitor(market.server.url)
  const { page } = visitor
  await visitor.go('/')
  await SCENES[0]!.ready(visitor)
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: /^Search/ }).waitFor()
  await page.keyboard.type('knot')
  await page.getByRole('option', { name: /Knot Charts.*8 items/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Knot Charts' }).waitFor()
  await until('the heading to get the focus', () =>
    page.evaluate<boolean>(`document.activeElement.matches('h1')`),
  )
  await page.getByRole('tab', { name: 'Items' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('heading', { name: 'Make an offer' }).waitFor()
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Offers 0')
  await page.getByRole('button', { name: 'Connect wallet', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  visitor.assertQuiet()
  await visitor.close()
})
