import { count, money } from '../amounts.ts'
import type { Column } from '../table.ts'
import type { TradeSession } from '../trade-session.ts'
import type { Arguments, Result, Verb } from '../verb.ts'

const priceOf = (sats: number | null) => (sats === null ? '-' : money(sats))

export const COLLECTIONS: Column[] = [
  { head: 'SLUG', shorten: 'id' },
  { head: 'NAME', shorten: 'name' },
  { head: 'FLOOR SATS', align: 'right' },
  { head: 'LISTED', align: 'right', optional: true },
]
export const ITEMS: Column[] = [
  { head: 'INSCRIPTION', shorten: 'id' },
  { head: 'NAME', shorten: 'name' },
  { head: 'PRICE SATS', align: 'right' },
  { head: 'OWNER', shorten: 'id', optional: true },
]

export const browse: Verb = {
  usage: '[SLUG] [--listed] [--limit N]',
  summary: 'Show the collections of the market, or the items of a collection, cheapest first',
  details: `  --listed             Show only items for sale
  --limit N            Number of rows, up to 100 (default: 20)`,
  options: { listed: { type: 'boolean' }, limit: { type: 'string' } },
  async run(desk, args) {
    return args.words.length === 0 ? collections(desk, args) : items(desk, args)
  },
}

async function collections(desk: TradeSession, args: Arguments): Promise<Result> {
  const limit = args.count('limit', 1, 100) ?? 20
  const answer = await desk.client.call('browseCollections', { query: { sort: 'volume', limit } })
  const rows = answer.collections.map((collection) => [
    collection.slug,
    collection.name,
    count(collection.floorSats),
    `${collection.listedCount} of ${collection.itemCount}`,
  ])
  return { document: answer, text: desk.out.table(COLLECTIONS, rows) }
}

async function items(desk: TradeSession, args: Arguments): Promise<Result> {
  const slug = args.only('a collection')
  const query = { sort: 'price', limit: args.count('limit', 1, 100) ?? 20 } as const
  const [collection, answer] = await Promise.all([
    desk.client.call('getCollection', { params: { slug } }),
    desk.client.call('browseItems', {
      params: { slug },
      query: { ...query, ...(args.has('listed') ? { listed: true } : {}) },
    }),
  ])
  const rows = answer.items.map((item) => [
    item.inscriptionId,
    item.name,
    count(item.priceSats),
    item.owner ?? '-',
  ])
  return {
    document: { collection, ...answer },
    text: [
      `${collection.name}: floor ${priceOf(collection.floorSats)}, best offer ${priceOf(collection.topOfferSats)}`,
      ...desk.out.table(ITEMS, rows),
    ],
  }
}
