import { type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'

/** Slowdown of the processor, as in Lighthouse's mobile profile. */
const SLOWDOWN = 4
/** Time for the entries of an interaction to arrive, in milliseconds. */
const ENTRY_MILLISECONDS = 700
/** Longest wait for the effect of an interaction, in milliseconds. */
const EFFECT_MILLISECONDS = 60_000

const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1440, height: 900 } },
}

interface Step {
  name: string
  run(at: At): Promise<void>
}

/** A page with the pointer of its device. */
interface At {
  page: Page
  isPhone: boolean
  press(locator: Locator): Promise<void>
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).filter({ visible: true }).first()
const tab = (name: RegExp): Step => ({
  name: `tab ${name.source.slice(1)}`,
  async run({ page, press }) {
    await press(page.getByRole('tab', { name }))
    await page.getByRole('tab', { name, selected: true }).waitFor()
  },
})
const openItem: Step = {
  name: 'open an item',
  async run({ page, press }) {
    await press(page.locator('main a[href^="/inscription/"]').filter({ visible: true }).first())
    await page.waitForURL(/\/inscription\//)
    await page.getByRole('heading', { level: 1 }).waitFor()
  },
}
const search: Step = {
  name: 'search',
  async run({ page, press, isPhone }) {
    await press(isPhone ? button(page, 'Search') : button(page, /^Collections, items/))
    await page.getByRole('combobox', { name: /^Search/ }).pressSequentially('harbour', { delay: 150 })
    await page
      .getByRole('option', { name: /Harbour/ })
      .filter({ visible: true })
      .nth(1)
      .waitFor()
    await press(page.getByRole('dialog', { name: 'Search' }).getByRole('button'))
  },
}
const inbox: Step = {
  name: 'inbox',
  async run({ page, press }) {
    await press(button(page, /^Notifications/))
    await page.getByRole('dialog', { name: 'Notifications' }).getByRole('link', { name: 'See all' }).waitFor()
    await page.keyboard.press('Escape')
  },
}
const filter: Step = {
  name: 'filter',
  async run({ page, press, isPhone }) {
    if (isPhone) await press(button(page, 'Filters'))
    await press(page.getByRole('radio', { name: 'Listed' }).filter({ visible: true }))
    if (isPhone) await press(page.getByRole('button', { name: /^Show \d/ }))
  },
}
const addToCart: Step = {
  name: 'add to the cart',
  async run({ page, press, isPhone }) {
    const add = page.getByRole('button', { name: /^Add to cart/ })
    if (!isPhone) await page.getByRole('article').first().hover()
    await press(add.filter({ visible: true }).first())
    await page.getByRole('button', { name: 'Cart, 1 inscription' }).waitFor()
    await press(button(page, 'Add the cheapest'))
    await page.getByRole('dialog', { name: 'Cart' }).waitFor()
    await page.keyboard.press('Escape')
  },
}
const openTicket = (name: string | RegExp, field: string): Step => ({
  name: `ticket ${name}`,
  async run({ page, press }) {
    await press(button(page, name))
    await page.getByLabel(field).filter({ visible: true }).first().pressSequentially('0.0012', { delay: 150 })
  },
})
const review: Step = {
  name: 'review',
  async run({ page, press, isPhone }) {
    await press(button(page, /^Buy now/))
    if (isPhone) await press(page.getByRole('dialog').getByRole('button', { name: /^Buy now/ }))
    await page.getByRole('button', { name: /^Sign\b.* in / }).waitFor()
    await press(button(page, 'Cancel'))
    if (isPhone) await page.keyboard.press('Escape')
  },
}
const choose: Step = {
  name: 'choose items',
  async run({ page, press }) {
    for (const n of [0, 1, 2]) await press(page.getByLabel(/^Choose /).nth(n))
    await button(page, /^List 3/).waitFor()
  },
}

const pagesOf = (slug: string, forSale: string): [name: string, path: string, steps: Step[]][] => [
  ['home', '/', [search, inbox, openItem]],
  [
    'collection',
    `/collection/${slug}`,
    [filter, addToCart, tab(/^Offers/), tab(/^Activity/), tab(/^Analytics/), tab(/^Items/), openItem],
  ],
  [
    'item',
    `/inscription/${forSale}`,
    [
      tab(/^Offers/),
      tab(/^Price/),
      tab(/^Provenance/),
      tab(/^Details/),
      review,
      openTicket('Make offer', 'Your offer in BTC'),
    ],
  ],
  ['portfolio', '/wallet', [choose, tab(/^Listings/), tab(/^Offers received/), tab(/^Activity/), inbox]],
]

/** Collects the durations of interactions from input to the next frame (Event Timing API). */
const COLLECT = `
  window.durations = []
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) if (interactionId > 0) durations.push(duration)
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })`

/**
 * Makes the common interactions on every page on a slowed processor, as a signed-in demo wallet. Prints the longest delay from an input to
 * the next frame, which is the page's INP below 50 interactions.
 */
export async function printInteractions(port: number, url: string, of: { slug: string; forSale: string }) {
  console.log(`\n| page | device | INP at ${SLOWDOWN}x CPU, ms | longest | next |`)
  console.log('| --- | --- | ---: | --- | --- |')
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`)
  for (const [look, options] of Object.entries(LOOKS)) {
    const context = await browser.newContext(options)
    context.setDefaultTimeout(EFFECT_MILLISECONDS)
    await context.addInitScript(COLLECT)
    const page = await context.newPage()
    const isPhone = look === 'phone'
    const press = (locator: Locator) => (isPhone ? locator.tap() : locator.click())
    const at = { page, isPhone, press }
    // Once, because sign-ins have a rate limit.
    await signIn(at, `${url}/how`)
    const session = await context.newCDPSession(page)
    for (const [name, path, steps] of pagesOf(of.slug, of.forSale)) {
      await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
      await page.goto(`${url}${path}`)
      await page.locator('[data-account]').waitFor()
      await page.waitForTimeout(2000)
      await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
      const longest: [string, number][] = []
      for (const step of steps) {
        await page.evaluate('durations.length = 0')
        await step.run(at)
        await page.waitForTimeout(ENTRY_MILLISECONDS)
        longest.push([step.name, await page.evaluate<number>('Math.max(0, ...durations)')])
      }
      longest.sort(([, a], [, b]) => b - a)
      const [first, second] = longest
      console.log(
        `| ${name} | ${look} | ${first![1].toFixed(0)} | ${first![0]} | ${second![0]} ${second![1].toFixed(0)} |`,
      )
    }
    await context.close()
  }
  await browser.close()
}

async function signIn({ page, press }: At, url: string): Promise<void> {
  await page.goto(url)
  await press(button(page, 'Connect wallet'))
  await press(page.getByRole('dialog').getByRole('button', { name: /^Test wallet 1/ }))
  await page.locator('[data-account]').waitFor()
}
