import { randomBytes, randomUUID } from 'node:crypto'
import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'

/**
 * Each feed in each of its orders, read completely in pages of every small size, from rendered rows and from the tables. The expected order
 * is computed in JavaScript. Response caching is off, so that every page is built.
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
/** Timestamps: many rows share one, and some differ by a microsecond. */
const MOMENTS = ['00.000000', '00.000001', '01.000000'].map((second) => `2026-01-01T00:00:${second}Z`)
const EXPIRIES = [
  null,
  '2100-01-01T00:00:00.000000Z',
  '2100-01-01T00:00:00.000001Z',
  '2101-01-01T00:00:00.000000Z',
]

interface Made {
  items: { id: string; sequence: number }[]
  listings: { id: string; priceSats: number; listedAt: string; expiresAt: string | null }[]
  sales: { id: number; height: number }[]
  proposals: { id: string; createdAt: string }[]
  slugs: string[]
}
const made: Made = { items: [], listings: [], sales: [], proposals: [], slugs: [] }

/** Creates a collection of items, each listed and sold, proposals for them, and empty collections. */
async function fill(): Promise<void> {
  const { sql } = market
  const { wallet, walletBindingId } = reader
  const script = wallet.ordinalsScript
  const collectionId = randomUUID()
  made.slugs = Array.from({ length: 5 }, () => `order-${hex().slice(0, 8)}`)
  slug = made.slugs[0]!
  const sequences = Array.from({ length: ITEMS }, (_, n) => 10_000_000 + n).toSorted(
    () => Math.random() - 0.5,
  )
  made.items = sequences.map((sequence) => ({ id: `${hex()}i0`, sequence }))
  made.listings = made.items.map(() => ({
    id: randomUUID(),
    priceSats: pick([1000, 2000, 3000]),
    listedAt: pick(MOMENTS),
    expiresAt: pick(EXPIRIES),
  }))
  made.proposals = made.items.map(() => ({ id: randomUUID(), createdAt: pick(MOMENTS) }))
  await inTransaction(sql, async (tx) => {
    for (const each of made.slugs)
      await tx`
        insert into collections (collection_id, slug, name, verification_status, imported_at)
        values (${each === slug ? collectionId : randomUUID()}, ${each}, ${each}, 'verified', now())`
    for (const [n, { id, sequence }] of made.items.entries()) {
      const txid = hex()
      await tx`
        insert into inscribed_sats (sat_id, priority, sat_offset, first_id, txid, vout, output_value_sats, owner_script,
          low_offset, high_offset)
        values (${sequence}, 0, 0, ${sequence}, ${txid}, 0, 546, ${script}, 0, 0)`
      await tx`
        insert into inscription_rows (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated,
          unbound, reinscription, parent_ids, content_type, sat_id)
        values (${sequence}, ${id}, ${sequence}, 1, now(), false, false, false, false, '{}', 'text/plain', ${sequence})`
      await tx`
        insert into collection_items (collection_id, inscription_id, ordinal, sort_key, item_name, traits)
        values (${collectionId}, ${id}, ${sequence}, ${sequence}, 'Item', '[]')`
      const listing = made.listings[n]!
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
      made.sales.push({ id: sale!.saleId, height })
      const proposal = made.proposals[n]!
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

/** Sorts rows by keys in order. `-` means descending; null is last. */
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
  /** Paths that each return all rows of `fill`. */
  paths: () => string[]
  table: string
  ids: (answer: any) => (string | number)[]
  /** Expected rows by sort. A feed without sorts uses ''. */
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
      recent: () => sorted(made.listings, '-listedAt', '-id'),
      price: () => sorted(made.listings, 'priceSats', '-listedAt', '-id'),
      expiring: () => sorted(made.listings, 'expiresAt', 'id'),
    },
  },
  listCollectionInscriptions: {
    paths: () => [`/collection/${slug}/inscriptions?`],
    table: 'collection_items',
    ids: ({ items }) => items.map((each: any) => each.id),
    orders: {
      oldest: () => sorted(made.items, 'sequence'),
      newest: () => sorted(made.items, '-sequence'),
    },
  },
  listSales: {
    paths: () => ['/sales?', `/sales?collectionSlug=${slug}`],
    table: 'sales',
    ids: ({ sales }) => sales.map((each: any) => Number(each.saleId)),
    orders: { '': () => sorted(made.sales, '-height', '-id') },
  },
  listTradeProposals: {
    paths: () => ['/trading?', `/trading?collectionSlug=${slug}`],
    table: 'proposals',
    ids: ({ proposals }) => proposals.map((each: any) => each.id),
    orders: { '': () => sorted(made.proposals, '-createdAt', '-id') },
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

/** Whether pages were built from rendered rows (`kept`) or from the tables (`missing`). */
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
    // The cursor is cyclic.
    if (found.length > 2 * ITEMS) break
  }
  return found
}

/** Private lists, which have no rendered rows. */
const OWN = ['listMyOffers', 'listMyEscrows']

/** Query parameters of a public feed; null for other operations. */
const parametersOf = ({ id, query }: Operation): Record<string, any> | null => {
  const parameters = (query as { properties: Record<string, any> } | undefined)?.properties
  return parameters?.cursor && !OWN.includes(id) ? parameters : null
}

it('tests every sort of every public feed', () => {
  const named = Object.entries(operations).flatMap(([id, operation]) => {
    const parameters = parametersOf(operation)
    return parameters ? [[id, (parameters.sort?.enum ?? ['']).toSorted()]] : []
  })
  const known = Object.entries(feeds).map(([id, { orders }]) => [id, Object.keys(orders).toSorted()])
  expect(known.toSorted()).toEqual(named.toSorted())
})

for (const [id, feed] of Object.entries(feeds))
  for (const [sort, order] of Object.entries(feed.orders))
    describe.each(Object.entries(paths))(`${id} ${sort}, rendered rows %s`, (_, cold) => {
      it.each([1, 2, 3, 7, ITEMS - 1, ITEMS, 100])(
        'yields every row in order in pages of %i',
        async (limit) => {
          const expected = order().map((row) => row.id)
          for (const base of feed.paths()) {
            const path = sort ? `${base}&sort=${sort}` : base
            if (!cold) await get(`${path}&limit=100`)
            expect(await walk(feed, path, limit, cold), path).toEqual(expected)
          }
        },
      )
    })

it.each(Object.entries(paths))(
  'lists floors in the order of the slugs, rendered rows %s',
  async (_, cold) => {
    for (const slugs of [
      made.slugs,
      made.slugs.toReversed(),
      made.slugs.toSorted(() => Math.random() - 0.5),
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
