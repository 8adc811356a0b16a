import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { notifyExpiring } from '@ordbook/market/inbox/queries.ts'
import { bid, buy, counter, offer } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { rested } from '../../../e2e/escrows/support/escrow-market.ts'
import { agreementFor, listAll, setUpTrader, type TestTrader, until } from '../../../e2e/support/market.ts'
import { coinsOf, offering, selling } from '../../../e2e/support/offers.ts'
import { ALL_RULES, violations } from '../support/axe.ts'
import type { Visitor } from '../support/browser.ts'
import { acceptSwap, proposeSwap, setUpDemoMarket } from '../support/demo-market.ts'

/**
 * Each state in which a trader waits, or is waited for: the page says whose turn it is and what happens next. `ORDBOOK_PICTURES=FOLDER`
 * stores a picture of each.
 */
const FOLDER = process.env.ORDBOOK_PICTURES
const SLUG = 'harbour-lamps'

const COINS = [30_000_000, 20_000_000, 10_000_000, 9_000_000, 8_000_000, 7_000_000]
const { market, browser, owner, buyer, itemsOf } = setUpDemoMarket({}, COINS)
const other = setUpTrader(market)
const outbid = setUpTrader(market)
/** Each bought one lamp from the owner and lists it. */
const ended = setUpTrader(market)
const ending = setUpTrader(market)
const traders = { owner, buyer, outbid, ended, ending }
let lamps: string[]
let charts: string[]
let proposalId: string
let receiptTxid: string

beforeAll(async () => {
  ;[lamps, charts] = await Promise.all([itemsOf(SLUG), itemsOf('knot-charts')])
  await market.anchors(40)
  const { sql } = market
  await listAll(
    market,
    owner,
    SLUG,
    [2, 3, 4, 6, 8].map((n) => lamps[n]!),
    90_000,
  )
  receiptTxid = await bought(buyer, 3)
  await bought(buyer, 8)
  await bought(ended, 4)
  await bought(ending, 6)
  await listAll(market, ended, SLUG, [lamps[4]!], 95_000)
  await sql`update listings set expires_at = now() - interval '1 minute' where inscription_id = ${lamps[4]!} and state = 'buyable'`
  await listAll(market, ending, SLUG, [lamps[6]!], 88_000)
  await sql`
    update listings set listed_at = now() - interval '2 days', expires_at = now() + interval '5 hours'
    where inscription_id = ${lamps[6]!} and state = 'buyable'`
  await rested(market, owner, SLUG, [lamps[7]!])
  // Without a recovery, the market cannot return the item.
  await sql`
    update listings set expires_at = now() - interval '1 minute', recovery_signature = null
    where inscription_id = ${lamps[7]!}`
  const coins = (await coinsOf(market, buyer)).toSorted((a, b) => b.valueSats - a.valueSats)
  await makeOffers(coins)
  const proposal = await proposeSwap(market, owner, charts.slice(0, 2))
  proposalId = proposal.id
  await acceptSwap(market, buyer, { ...proposal, lamp: lamps[8]!, coins: coins.slice(2, 3) })
  await notifyExpiring(sql, new Date())
  await until('the expired listings to end', async () => {
    const rows = await sql`select from inbox where kind = 'listing_ended'`
    return rows.length === 2
  })
  const agreement = await agreementFor(market, buyer, [lamps[2]!])
  await buy(buyer, SLUG, { ...agreement, coins: coins.slice(3, 4) })
}, 300_000)

/** Buys a lamp and confirms it. Returns the id of the transaction. */
async function bought(by: TestTrader, n: number): Promise<string> {
  const { settlementTxid } = await buy(by, SLUG, await agreementFor(market, by, [lamps[n]!]))
  await market.mine()
  return settlementTxid
}

async function makeOffers(coins: Awaited<ReturnType<typeof coinsOf>>): Promise<void> {
  const place = async (n: number, priceSats: number, coin: number) =>
    offer(buyer, SLUG, {
      ...(await offering(market, buyer, [lamps[n]!], priceSats)),
      coins: coins.slice(coin, coin + 1),
    })
  const [low, high] = await coinsOf(market, other)
  await offer(other, SLUG, { ...(await offering(market, other, [lamps[0]!], 60_000)), coins: [low!] })
  await place(0, 64_000, 0)
  const asked = await place(1, 60_000, 1)
  await counter(owner, asked.items[0]!.offerId, await selling(market, lamps[1]!, 75_000, 1000))
  const target = { kind: 'all' } as const
  await bid(outbid, SLUG, { target, priceSats: 50_000, coins: await coinsOf(market, outbid) })
  await bid(other, SLUG, { target, priceSats: 55_000, coins: [high!] })
}

interface State {
  by: keyof typeof traders
  path: () => string
  /** Opens the bell, where the state is an event. */
  isEvent?: true
  shows: readonly (string | RegExp)[]
  /** Buttons that must be absent. */
  lacks?: readonly string[]
}

const item = (n: number) => () => `/inscription/${lamps[n]!}`

const STATES: Record<string, State> = {
  offer: {
    by: 'owner',
    path: item(0),
    shows: ['Your turn: answer an offer', 'Highest of 2.', /nothing moves/],
    lacks: ['Sell now'],
  },
  counter: {
    by: 'buyer',
    path: item(1),
    shows: ['Your turn: answer a counter-offer', 'You offered 0.0006 BTC.', /Your own offer stays open/],
  },
  acceptance: {
    by: 'owner',
    path: () => `/trades/${proposalId}`,
    shows: ['Your turn: complete the trade', /You sign last\./],
  },
  settling: {
    by: 'owner',
    path: item(2),
    shows: ['Nothing to do: your sale is pending', /completes with the next block/],
    lacks: ['Edit price', 'Delist', 'Sell now'],
  },
  receipt: {
    by: 'buyer',
    path: () => `/receipt/${receiptTxid}`,
    shows: ['Nothing to do: it is complete', /Confirmed in block/, 'You bought from', /^You paid with fees/],
  },
  'listing-ended': {
    by: 'ended',
    path: item(4),
    isEvent: true,
    shows: ['Listing ended: Harbour Lamp #5: 0.00095 BTC', /It expired\. The item is still yours/],
  },
  outbid: {
    by: 'outbid',
    path: () => `/collection/${SLUG}?tab=offers`,
    isEvent: true,
    shows: ['Outbid on Harbour Lamps', /Your offer stays open/],
  },
  expiring: {
    by: 'ending',
    path: item(6),
    isEvent: true,
    shows: [
      'Ends soon: Harbour Lamp #7: 0.00088 BTC',
      /If you do nothing, your listing at 0\.00088 BTC ends on .* list the item again/,
    ],
  },
  escrow: {
    by: 'owner',
    path: item(7),
    shows: ['Your turn: item is in escrow', /List it again, or withdraw it/, /stays in escrow/],
  },
  'waiting-for-other': {
    by: 'buyer',
    path: () => `/trades/${proposalId}`,
    shows: [/^Waiting for bcrt1p.* to complete$/, /Nothing moves until they sign\./],
  },
}

async function show(visitor: Visitor, { path, isEvent, shows, lacks = [] }: State): Promise<void> {
  const { page } = visitor
  await visitor.go(path())
  await page.getByRole('heading', { level: 1 }).waitFor()
  if (isEvent) await page.getByRole('button', { name: /^Notifications/ }).click()
  const place = isEvent ? page.getByRole('dialog', { name: 'Notifications' }) : page.locator('main')
  for (const text of shows) await place.getByText(text).first().waitFor({ timeout: 10_000 })
  for (const name of lacks) expect(await place.getByRole('button', { name }).count(), name).toBe(0)
}

it('says whose turn it is and what happens next', async () => {
  const problems: string[] = []
  const visitors: Partial<Record<State['by'], Visitor>> = {}
  for (const [name, state] of Object.entries(STATES)) {
    const { by } = state
    const { wallet } = traders[by]
    const visitor = (visitors[by] ??= await browser.visitor(market.server.url, {
      wallet,
      context: { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' },
    }))
    const { page } = visitor
    if (page.url() === 'about:blank') {
      await visitor.go('/how')
      await visitor.signIn()
    }
    await show(visitor, state).catch((error) => problems.push(`${name}: ${error}`))
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.waitForTimeout(FOLDER ? 700 : 100)
      if (FOLDER) {
        mkdirSync(FOLDER, { recursive: true })
        await page.screenshot({ path: join(FOLDER, `${name}-${width}.png`), animations: 'disabled' })
      }
      if (await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth + 1'))
        problems.push(`${name}: wider than ${width} px`)
      for (const found of await violations(visitor, width === 1440 ? ALL_RULES : ['wcag2aa']))
        problems.push(`${name} at ${width} px: ${found}`)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  expect(problems).toEqual([])
  for (const visitor of Object.values(visitors)) {
    visitor.assertQuiet()
    await visitor.close()
  }
}, 600_000)
