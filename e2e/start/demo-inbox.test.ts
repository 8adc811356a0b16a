import { demoCollectors } from '@ordbook/sdk/demo-wallets.ts'
import { buy, list } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { COLLECTIONS } from '../../scripts/demo/collections.ts'
import { salesOfMonth, tradedItems } from '../../scripts/demo/history.ts'
import { agreementFor, setUpMarket } from '../support/market.ts'
import { traderAtStorefront } from '../support/storefront.ts'

/** Events of one day that an inbox may show. */
const MAX_EVENTS = 10
const DAY = 86_400

const market = setUpMarket()
const wallets = demoCollectors('regtest').map(({ wallet }) => wallet)
const traded = COLLECTIONS.flatMap((each) => tradedItems(each, each.items().length, wallets.length))
let traders: Awaited<ReturnType<typeof traderAtStorefront>>[]
let slug: string
/** Inscription ids in the order of `traded`. */
let ids: string[]

beforeAll(async () => {
  await market.regtest.pay(
    wallets.flatMap(({ paymentScript: script }) => Array(4).fill({ valueSats: 10_000_000, script })),
  )
  await market.mine()
  traders = await Promise.all(wallets.map((wallet) => traderAtStorefront(market.server.url, wallet)))
  const counts = wallets.map((_, n) => traded.filter(({ holder }) => holder === n).length)
  const most = Math.max(...counts)
  const collection = await market.collection(wallets, most)
  slug = collection.slug
  const used = wallets.map(() => 0)
  ids = traded.map(({ holder }) => collection.ids[holder * most + used[holder]!++]!)
}, 120_000)

/** The largest id of an event. */
async function lastEvent(): Promise<number> {
  const [row] = await market.sql<{ last: number }[]>`select coalesce(max(inbox_id), 0) as last from inbox`
  return row!.last
}

it("the demo's month of sales gives no inbox more than ten events a day", async () => {
  const events = new Map<string, number>()
  let last = await lastEvent()
  for (const { second, sales } of salesOfMonth(traded, wallets.length)) {
    for (const { item, seller, buyer, priceSats } of sales) {
      const inscriptionId = ids[item]!
      const coin = await market.coinOf(inscriptionId)
      await list(traders[seller]!, slug, [{ inscriptionId, priceSats, coin, maxFeeBps: 500 }])
      await buy(traders[buyer]!, slug, await agreementFor(market, traders[buyer]!, [inscriptionId]))
      await market.mine()
    }
    const rows = await market.sql<{ profileId: string; count: number }[]>`
      select profile_id, count(*)::int as count from inbox where inbox_id > ${last} group by profile_id`
    for (const { profileId, count } of rows) {
      const day = `${profileId} on day ${Math.floor(second / DAY)}`
      events.set(day, (events.get(day) ?? 0) + count)
    }
    last = await lastEvent()
  }
  const kinds = await market.sql`
    select kind, count(*)::int as count from inbox where kind <> 'sign_in' group by kind order by kind`
  expect(kinds).toEqual([
    { kind: 'delivered', count: 72 },
    { kind: 'settling', count: 72 },
    { kind: 'sold', count: 72 },
  ])
  expect([...events].filter(([, count]) => count > MAX_EVENTS)).toEqual([])
})
