import { bid, counter, offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { rested } from '../../../e2e/escrows/support/escrow-market.ts'
import { listAll, type TestTrader } from '../../../e2e/support/market.ts'
import { coinsOf, offering, selling } from '../../../e2e/support/offers.ts'
import type { Visitor } from '../support/browser.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

/**
 * Counts the clicks of each journey, from its page to the signature, and the windows of the wallet. The limits are the counts of release
 * 0.1.0. Typing is not counted.
 */
const at = marketInBrowser({ env: { ANCHOR_POOL: '160' } })

type Run = (visitor: Visitor) => Promise<string | RegExp>
interface Journey {
  by?: 'seller' | 'buyer'
  /** The path where it starts. */
  start: () => Promise<string>
  run: Run
  clicks: number
  windows: number
}

const press = ({ page }: Visitor, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first().click()
const mine = (count: number) => at.market.collection(at.seller.wallet, count)
const itemPath = (id: string) => `/inscription/${id}`

/** An own collection with listings at `priceSats`. */
async function listed(count: number, priceSats = 60_000, all = count) {
  const collection = await mine(all)
  await listAll(at.market, at.seller, collection.slug, collection.ids.slice(0, count), priceSats)
  return collection
}

async function offered(by: TestTrader, slug: string, id: string) {
  const [coin] = await coinsOf(at.market, by)
  const { items } = await offer(by, slug, {
    ...(await offering(at.market, by, [id], 50_000)),
    coins: [coin!],
  })
  return items[0]!.offerId
}

let swap: { give: string; get: string; path: string }

const JOURNEYS: Record<string, Journey> = {
  connect: {
    start: async () => '/how',
    run: async (visitor) => {
      await visitor.signIn()
      return ''
    },
    clicks: 2,
    windows: 3,
  },
  'buy one as a visitor': {
    start: async () => itemPath((await listed(1)).ids[0]!),
    run: async (visitor) => {
      await press(visitor, 'Buy now')
      await visitor.page
        .getByRole('dialog')
        .getByRole('button', { name: /^Xverse/ })
        .click()
      await visitor.confirm()
      return /Bought in/
    },
    clicks: 3,
    windows: 4,
  },
  'sweep five': {
    by: 'buyer',
    start: async () => `/collection/${(await listed(6, 20_000)).slug}`,
    run: async (visitor) => {
      await visitor.page.getByLabel('Sweep').fill('5')
      await press(visitor, 'Add the cheapest')
      await visitor.page.getByRole('dialog', { name: 'Cart' }).getByText('5 items', { exact: true }).waitFor()
      await press(visitor, 'Review and buy')
      await visitor.confirm()
      return /Bought in/
    },
    clicks: 4,
    windows: 1,
  },
  'list five': {
    by: 'seller',
    start: async () => `/wallet?collection=${(await listed(1, 60_000, 6)).slug}`,
    run: async (visitor) => {
      const { page } = visitor
      const boxes = page.getByRole('article').getByRole('checkbox')
      await boxes.nth(5).waitFor()
      const slug = new URL(page.url()).searchParams.get('collection')
      for (let n = 1; n <= 5; n++) await page.getByLabel(`Choose ${slug} #${n}`, { exact: true }).check()
      await press(visitor, 'List 5')
      await press(visitor, 'Apply')
      await press(visitor, /^Review 5/)
      await visitor.confirm()
      return /Listed 5 items/
    },
    clicks: 9,
    windows: 1,
  },
  'change a price': {
    by: 'seller',
    start: async () => {
      await listed(1, 61_000)
      return '/wallet?tab=listings'
    },
    run: async (visitor) => {
      const field = visitor.page
        .getByRole('row', { name: /0\.00061/ })
        .getByRole('textbox')
        .first()
      await field.click()
      await field.fill('0.00062')
      await press(visitor, 'Review 1')
      await visitor.confirm()
      return /Listed 1 item/
    },
    clicks: 4,
    windows: 1,
  },
  delist: {
    by: 'seller',
    start: async () => itemPath((await listed(1)).ids[0]!),
    run: async (visitor) => {
      await press(visitor, 'Delist')
      return 'no longer for sale'
    },
    clicks: 1,
    windows: 0,
  },
  'make an offer': {
    by: 'buyer',
    start: async () => itemPath((await mine(1)).ids[0]!),
    run: async (visitor) => {
      await press(visitor, 'Make offer')
      await visitor.page.getByLabel('Your offer in BTC').fill('0.0005')
      await press(visitor, 'Review offer')
      await visitor.confirm()
      return /Offer placed/
    },
    clicks: 3,
    windows: 1,
  },
  counter: {
    by: 'seller',
    start: async () => {
      const { slug, ids } = await mine(1)
      await offered(at.buyer, slug, ids[0]!)
      return itemPath(ids[0]!)
    },
    run: async (visitor) => {
      await press(visitor, 'Counter')
      await visitor.page.getByLabel('Price in BTC').fill('0.0007')
      await press(visitor, 'Send counter-offer')
      await visitor.confirm()
      return /Counter-offer placed/
    },
    clicks: 3,
    windows: 1,
  },
  'accept a counter-offer': {
    by: 'buyer',
    start: async () => {
      const { slug, ids } = await mine(1)
      const offerId = await offered(at.buyer, slug, ids[0]!)
      await counter(at.seller, offerId, await selling(at.market, ids[0]!, 70_000))
      return itemPath(ids[0]!)
    },
    run: async (visitor) => {
      await press(visitor, 'Accept')
      await press(visitor, /^Buy for \d/)
      await visitor.confirm()
      return /Bought in/
    },
    clicks: 3,
    windows: 1,
  },
  'bid on a collection': {
    by: 'buyer',
    start: async () => `/collection/${(await mine(2)).slug}?tab=offers`,
    run: async (visitor) => {
      await visitor.page.getByLabel('Price in BTC').fill('0.0004')
      await press(visitor, 'Review offer')
      await visitor.confirm()
      return /Offer placed/
    },
    clicks: 2,
    windows: 1,
  },
  'sell into a bid': {
    by: 'seller',
    start: async () => {
      const { slug } = await mine(1)
      const target = { kind: 'all' } as const
      await bid(at.buyer, slug, { target, priceSats: 40_000, coins: await coinsOf(at.market, at.buyer) })
      return `/collection/${slug}?tab=offers`
    },
    run: async (visitor) => {
      await press(visitor, 'Sell now')
      await press(visitor, /^Sell test-.* #0$/)
      await press(visitor, /^Sell for \d/)
      await visitor.confirm()
      return /Sold in/
    },
    clicks: 4,
    windows: 1,
  },
  'propose a trade': {
    by: 'seller',
    start: async () => {
      const [give, get] = [await mine(1), await at.market.collection(at.buyer.wallet, 1)]
      swap = { give: `${give.slug} #0`, get: `${get.slug} #0`, path: '' }
      return `/trades/new?with=${get.slug}`
    },
    run: async (visitor) => {
      await visitor.page.getByLabel(`Choose ${swap.give}`).check()
      await visitor.page
        .getByRole('button', { name: /^Add test-/ })
        .first()
        .click()
      await press(visitor, /^Send (proposal|at .*)$/)
      await visitor.page.waitForURL(/\/trades\/[0-9a-f-]{36}$/)
      swap.path = new URL(visitor.page.url()).pathname
      return /Trade proposed/
    },
    clicks: 3,
    windows: 0,
  },
  'accept a trade': {
    by: 'buyer',
    start: async () => swap.path,
    run: async (visitor) => {
      await visitor.page.getByLabel(`Choose ${swap.get}`).check()
      await press(visitor, /^Accept (trade|at .*)$/)
      await visitor.confirm()
      return /completes when the proposer signs/
    },
    clicks: 3,
    windows: 1,
  },
  'complete a trade': {
    by: 'seller',
    start: async () => '/wallet',
    run: async (visitor) => {
      await visitor.page.getByRole('link', { name: 'Review and sign' }).click()
      await press(visitor, /^(Review and complete|Complete at .*)$/)
      await visitor.confirm()
      return /Completed in/
    },
    clicks: 3,
    windows: 1,
  },
  'exit escrow without the market': {
    by: 'seller',
    start: async () => {
      const { slug, ids } = await mine(1)
      await rested(at.market, at.seller, slug, ids)
      return itemPath(ids[0]!)
    },
    run: async (visitor) => {
      await press(visitor, 'Exit without the market')
      await visitor.confirm()
      return /Sent to your address/
    },
    clicks: 2,
    windows: 1,
  },
}

interface Counted {
  visitor: Visitor
  presses: number
}

/** Opens a page that counts presses of the pointer. Signs in unless the journey does. */
async function openCounted(by: Journey['by']): Promise<Counted> {
  const visitor = await at.visit(at[by ?? 'buyer'])
  const counted = { visitor, presses: 0 }
  await visitor.page.exposeFunction('countPress', () => void counted.presses++)
  await visitor.page.addInitScript(
    `addEventListener('pointerdown', ({ isTrusted }) => isTrusted && window.countPress(), true)`,
  )
  if (by) {
    await visitor.go('/how')
    await visitor.signIn()
  }
  return counted
}

it('takes no more clicks and wallet windows than the first release', async () => {
  const rows: string[] = []
  const problems: string[] = []
  const signedIn: Partial<Record<NonNullable<Journey['by']>, Counted>> = {}
  for (const [name, { by, start, run, clicks, windows }] of Object.entries(JOURNEYS)) {
    const path = await start()
    const counted = by ? (signedIn[by] ??= await openCounted(by)) : await openCounted(by)
    const { visitor } = counted
    await visitor.go(path)
    const before = counted.presses
    visitor.asked.length = 0
    try {
      const told = await run(visitor)
      const taken = counted.presses - before
      if (told) await visitor.told(told)
      const opened = visitor.asked.length
      rows.push(`${name}: ${taken} clicks of ${clicks}, ${opened} wallet windows of ${windows}`)
      if (taken > clicks || opened > windows) problems.push(rows.at(-1)!)
    } catch (error) {
      problems.push(`${name}: ${error}`)
    }
    if (!by) await visitor.close()
    await at.market.mine()
  }
  console.log(rows.join('\n'))
  expect(problems).toEqual([])
}, 600_000)
