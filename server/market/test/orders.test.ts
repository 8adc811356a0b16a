import { randomBytes, randomUUID } from 'node:crypto'
import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'

/**
 * Pagination of every feed in every sort order with several page sizes, from rendered rows and from the tables. The expected order is
 * computed in JavaScript. Response caching is disabled, so that every page is built.
 */
const market = setUpMarket({ tuning: { responseCacheMegabytes: 0 } })
const reader = setUpTrader(market)
let slug: string
beforeAll(async () => {
  await fill()
}, 120_000)

const ITEMS = 24
const hex = () => randomBytes(32).toString('hex')
const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)]!
/** Few timestamps, so that many rows share one. Two of them differ by a microsecond. */
const MOMENTS = ['00.000000', '00.000001', '01.000000'].map((second) => `2026-01-01T00:00:${second}Z`)
const EXPIRIES = [
  null,
  '2100-01-01T00:00:00.000000Z',
  '2100-01-01T00:00:00.000001Z',
  '2101-01-01T00:00:00.000000Z',
]

interface Fixture {
  items: { id: string; sequence: number }[]
  listings: { id: string; priceSats: number; listedAt: string; expiresAt: string | null }[]
  sales: { id: number; height: number }[]
  proposals: { id: string; createdAt: string }[]
  slugs: string[]
}
const fixture: Fixture = { items: [], listings: [], sales: [], proposals: [], slugs: [] }

/** Creates a collection of items with listings, sales and proposals, and four empty collections. */
async function fill(): Promise<void> {
  const { sql } = market
  const { wallet, walletBindingId } = reader
  const script = wallet.ordinalsScript
  const collectionId = randomUUID()
  fixture.slugs = Array.from({ length: 5 }, () => `order-${hex().slice(0, 8)}`)
  slug = fixture.slugs[0]!
  const sequences = Array.from({ length: ITEMS }, (_, n) => 10_000_000 + n).toSorted(
    () => Math.random() - 0.5,
  )
  fixture.items = sequences.map((sequence) => ({ id: `${hex()}i0`, sequence }))
  fixture.listings = fixture.items.map(() => ({
    id: randomUUID(),
    priceSats: pick([1000, 2000, 3000]),
    listedAt: pick(MOMENTS),
    expiresAt: pick(EXPIRIES),
  }))
  fixture.proposals = fixture.items.map(() => ({ id: randomUUID(), createdAt: pick(MOMENTS) }))
  await inTransaction(sql, async (tx) => {
    for (const each of fixture.slugs)
      await tx`
        insert into collections (collection_id, slug, name, verification_status, imported_at)
        values (${each === slug ? collectionId : randomUUID()}, ${each}, ${each}, 'verified', now())`
    for (const [n, { id, sequence }] of fixture.items.entries()) {
      const txid = hex()
      await tx`
        insert into inscribed_sats (sat_id, levels, sat_offset, first_id, txid, vout, output_value_sats, owner_script,
          low_offset, high_offset)
        values (${sequence}, 1, 0, ${sequence}, ${txid}, 0, 546, ${script}, 0, 0)`
      await tx`
        insert into inscription_rows (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated,
          unbound, reinscription, parent_ids, content_type, sat_id)
        values (${sequence}, ${id}, ${sequence}, 1, now(), false, false, false, false, '{}', 'text/plain', ${sequence})`
      await tx`
        insert into collection_items (collection_id, inscription_id, ordinal, sort_key, item_name, traits)
        values (${collectionId}, ${id}, ${sequence}, ${sequence}, 'Item', '[]')`
      const listing = fixture.listings[n]!
      await tx`
        insert into listings (listing_id, anchor_utxo_id, recovery_handle, collection_id, inscription_id, inscription_ids,
          wallet_binding_id, seller_script, price_sats, terms, economics, transfer_txid, transfer_signature,
          leg_signature, recovery_signature, recovery_batch, recovery_index, state, listed_at, expires_at, coin_txid,
          coin_vout)
        values (${listing.id}, ${randomUUID()}, ${randomUUID()}, ${collectionId}, ${id}, ${[id]}, ${walletBindingId}, ${script},
          ${listing.priceSats}, '{}', '{}', ${hex()}, '', '', '', ${randomUUID()}, 0, 'buyable',
          ${listing.listedAt}::text::timestamptz, ${listing.expiresAt}::text::timestamptz, ${hex()}, 0)`
      await tx`
        insert into order_events (listing_id, to_state, reason, occurred_at) values (${listing.id}, 'buyable', 'listed', now())`
      const height = pick([100, 101, 102])
      const [sale] = await tx<{ saleId: number }[]>`
        insert into sales (sale_type, txid, inscription_id, collection_id, price_sats, sold_at, height)
        values ('internal', ${hex()}, ${id}, ${collectionId}, 1000, now(), ${height}) returning sale_id`
      fixture.sales.push({ id: sale!.saleId, height })
      const proposal = fixture.proposals[n]!
      await tx`
        insert into proposals (proposal_id, creator_script, visibility, state, offered_btc_sats, requested_btc_sats,
          marketplace_fee_sats, created_at, expires_at)
        values (${proposal.id}, ${script}, 'public', 'active', 0, 1, 0, ${proposal.createdAt}::text::timestamptz, '2100-01-01')`
      await tx`insert into proposal_items (proposal_id, position, inscription_id) values (${proposal.id}, 0, ${id})`
      await tx`
        insert into proposal_requests (request_id, proposal_id, position, collection_id, quantity, target)
        values (${randomUUID()}, ${proposal.id}, 0, ${collectionId}, 1, '{"kind": "all"}')`
    }
    await tx`select rebuild_collection(${collectionId})`
    await tx`select refresh_proposals(array(select proposal_id from proposals))`
  })
}

/** Sorts rows by keys, nulls last. `-` means descending. */
function sorted<Row extends object>(rows: readonly Row[], ...keys: string[]): Row[] {
  return rows.toSorted((one, other) => {
    for (const key of keys) {
      const name = key.replace('-', '') as keyof Row
      const [a, b]: any[] = [one[name], other[name]]
      if (a === b) continue
      if (a === null || b === null) return a === null ? 1 : -1
      return a < b === key.startsWith('-') ? 1 : -1
    }
    return 0
  })
}

interface Feed {
  /** Paths that each return all rows of the fixture. */
  paths: () => string[]
  table: string
  ids: (answer: any) => (string | number)[]
  /** Expected rows by sort, '' for a feed without sorts. */
  orders: Record<string, () => { id: string | number }[]>
}

const feeds: Record<string, Feed> = {
  listListings: {
    paths: () => [
      `/listings?sellerAddress=${reader.wallet.ordinalsAddress}`,
      `/listings?collectionSlug=${slug}`,
    ],
    table: 'listings',
    ids: ({ listings }) => listings.map((each: any) => each.listingId),
    orders: {
      recent: () => sorted(fixture.listings, '-listedAt', '-id'),
      price: () => sorted(fixture.listings, 'priceSats', '-listedAt', '-id'),
      expiring: () => sorted(fixture.listings, 'expiresAt', 'id'),
    },
  },
  listCollectionInscriptions: {
    paths: () => [`/collection/${slug}/inscriptions?`],
    table: 'collection_items',
    ids: ({ items }) => items.map((each: any) => each.id),
    orders: {
      oldest: () => sorted(fixture.items, 'sequence'),
      newest: () => sorted(fixture.items, '-sequence'),
    },
  },
  listSales: {
    paths: () => ['/sales?', `/sales?collectionSlug=${slug}`],
    table: 'sales',
    ids: ({ sales }) => sales.map((each: any) => Number(each.saleId)),
    orders: { '': () => sorted(fixture.sales, '-height', '-id') },
  },
  listTradeProposals: {
    paths: () => ['/trading?', `/trading?collectionSlug=${slug}`],
    table: 'proposals',
    ids: ({ proposals }) => proposals.map((each: any) => each.id),
    orders: { '': () => sorted(fixture.proposals, '-createdAt', '-id') },
  },
}

async function get(path: string): Promise<any> {
  const response = await fetch(`${market.base}${path}`, {
    headers: { authorization: `Bearer ${reader.client.token}` },
  })
  const answer = await response.json()
  expect(response.status, JSON.stringify(answer)).toBe(200)
  return answer
}

/** Pages are built from rendered rows (`kept`) or from the tables (`missing`). */
const paths = { kept: false, missing: true }
const forget = (table: string) =>
  market.sql`update ${market.sql(table)} set rendered_row = null, rendered_version = rendered_version + 1`
const countMissing = async (table: string) => {
  const [row] = await market.sql<{ missing: number }[]>`
    select count(*) as missing from ${market.sql(table)} where rendered_row is null`
  return row!.missing
}

/** Reads every row of a feed, page by page. */
async function walk({ table, ids }: Feed, path: string, limit: number, cold: boolean) {
  const found: (string | number)[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    if (cold) await forget(table)
    else expect(await countMissing(table)).toBe(0)
    const answer: any = await get(
      `${path}&limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    found.push(...ids(answer))
    cursor = answer.pagination.nextCursor
    // Fail instead of looping forever on a cyclic cursor.
    if (found.length > 2 * ITEMS) break
  }
  return found
}

/** Private lists without rendered rows. */
const OWN = ['listMyOffers', 'listMyEscrows']

/** Returns the query parameters of a public feed, or null for other operations. */
const parametersOf = ({ id, query }: Operation): Record<string, any> | null => {
  const parameters = (query as { properties: Record<string, any> } | undefined)?.properties
  return parameters?.cursor && !OWN.includes(id) ? parameters : null
}

it('tests every sort of every public feed', () => {
  const declared = Object.entries(operations).flatMap(([id, operation]) => {
    const parameters = parametersOf(operation)
    return parameters ? [[id, (parameters.sort?.enum ?? ['']).toSorted()]] : []
  })
  const covered = Object.entries(feeds).map(([id, { orders }]) => [id, Object.keys(orders).toSorted()])
  expect(covered.toSorted()).toEqual(declared.toSorted())
})

for (const [id, feed] of Object.entries(feeds))
  for (const [sort, order] of Object.entries(feed.orders))
    describe.each(Object.entries(paths))(`${id} ${sort}, rendered rows %s`, (_, cold) => {
      it.each([1, 2, 3, 7, ITEMS - 1, ITEMS, 100])('returns all rows in pages of %i', async (limit) => {
        const expected = order().map((row) => row.id)
        for (const base of feed.paths()) {
          const path = sort ? `${base}&sort=${sort}` : base
          if (!cold) await get(`${path}&limit=100`)
          expect(await walk(feed, path, limit, cold), path).toEqual(expected)
        }
      })
    })

it.each(Object.entries(paths))(
  'listCollectionFloorStats keeps the order of slugs, rendered rows %s',
  async (_, cold) => {
    for (const slugs of [
      fixture.slugs,
      fixture.slugs.toReversed(),
      fixture.slugs.toSorted(() => Math.random() - 0.5),
    ]) {
      const path = `/collection-stats/floors?slugs=${slugs.join(',')}`
      await get(path)
      if (cold) await forget('collection_floors')
      else expect(await countMissing('collection_floors')).toBe(0)
      const { data } = await get(path)
      expect(data.map((each: any) => each.slug)).toEqual(slugs)
    }
  },
)
