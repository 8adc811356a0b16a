import { money } from '../amounts.ts'
import type { Desk } from '../desk.ts'
import { columns } from '../output.ts'
import type { Arguments, Result, Verb } from '../verb.ts'

const priceOf = (sats: number | null) => (sats === null ? '-' : money(sats))

export const browse: Verb = {
  usage: '[SLUG] [--listed] [--limit N]',
  summary: 'shows the collections of the market, or the items of one, the cheapest first',
  details: `  --listed             only what is for sale
  --limit N            so many, up to 100; 20 by default`,
  options: { listed: { type: 'boolean' }, limit: { type: 'string' } },
  async run(desk, given) {
    return given.words.length === 0 ? collections(desk, given) : items(desk, given)
  },
}

async function collections(desk: Desk, given: Arguments): Promise<Result> {
  const limit = given.count('limit', 1, 100) ?? 20
  const answer = await desk.client.call('browseCollections', { query: { sort: 'volume', limit } })
  const rows = answer.collections.map((each) => [
    each.slug,
    each.name,
    priceOf(each.floorSats),
    `${each.listedCount} of ${each.itemCount} listed`,
  ])
  return { document: answer, text: columns([['SLUG', 'NAME', 'FLOOR', 'LISTED'], ...rows]) }
}

async function items(desk: Desk, given: Arguments): Promise<Result> {
  const slug = given.only('a collection')
  const query = { sort: 'price', limit: given.count('limit', 1, 100) ?? 20 } as const
  const [collection, answer] = await Promise.all([
    desk.client.call('getCollection', { params: { slug } }),
    desk.client.call('browseItems', {
      params: { slug },
      query: { ...query, ...(given.has('listed') ? { listed: true } : {}) },
    }),
  ])
  const rows = answer.items.map((each) => [
    each.inscriptionId,
    each.name,
    priceOf(each.priceSats),
    each.owner ?? '-',
  ])
  return {
    document: { collection, ...answer },
    text: [
      `${collection.name}: floor ${priceOf(collection.floorSats)}, best offer ${priceOf(collection.topOfferSats)}`,
      columns([['INSCRIPTION', 'NAME', 'PRICE', 'OWNER'], ...rows]),
    ].join('\n'),
  }
}
