import { randomBytes, randomUUID } from 'node:crypto'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshWallet, setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'
import { moveItem } from '../../../e2e/support/move-item.ts'
import { type ServerProcess, spawnServer } from '../../../e2e/support/server.ts'

/**
 * Reads every paginated route while rows are added, changed, removed and expire between pages, and compares
 * the pages with a model without SQL. Two servers with response caches respond in turn, to detect stale
 * pages.
 */
const market = setUpMarket()
const reader = setUpTrader(market)
let second: ServerProcess
let bases: string[]
let walletBindingId: string
beforeAll(async () => {
  walletBindingId = reader.walletBindingId
  const port = await freePort()
  second = spawnServer(market, port, { ROLES: 'api' })
  await second.ready()
  bases = [market.base, `http://127.0.0.1:${port}/api/v1`]
})
afterAll(() => second?.kill('SIGKILL'))

interface Row {
  id: string
  /** Sort keys in order; descending by default. */
  keys: (number | string)[]
  expiresAt: number | null
}

interface Feed {
  path: string
  ids: (answer: any) => string[]
  ascending?: readonly boolean[]
  rows: Row[]
  insert(count: number): Promise<void>
  /** Changes a row or related rows. May remove it from the feed. */
  disturb(pick: number): Promise<void>
}

const hex = () => randomBytes(32).toString('hex')
/** Returns one of a few timestamps, so that many rows share one. Some differ by a microsecond. */
const moment = () => {
  const micro = Math.floor(Math.random() * 3)
  const second = Math.floor(Math.random() * 3)
  return `2026-01-01T00:00:0${second}.00000${micro}Z`
}
const soon = () => (Math.random() < 0.1 ? Date.now() + Math.floor(Math.random() * 1500) : null)
let sequence = 10_000_000

async function makeCollection() {
  const collectionId = randomUUID()
  const slug = `walk-${collectionId.slice(0, 8)}`
  await market.sql`
    insert into collections (collection_id, slug, name, verification_status, imported_at)
    values (${collectionId}, ${slug}, ${slug}, 'verified', now())`
  return { collectionId, slug }
}

/** Inserts inscriptions into a collection, without a chain. */
async function makeItems(collectionId: string, count: number) {
  const rows = Array.from({ length: count }, () => ({ id: `${hex()}i0`, sequence: sequence++, txid: hex() }))
  const { ordinalsScript } = reader.wallet
  await inTransaction(market.sql, async (tx) => {
    await tx`
      insert into inscribed_sats (sat_id, levels, sat_offset, first_id, txid, vout, output_value_sats, owner_script,
        low_offset, high_offset)
      select sequence, 1, 0, sequence, txid, 0, 546, ${ordinalsScript}, 0, 0
      from unnest(${rows.map((row) => row.sequence)}::bigint[], ${rows.map((row) => row.txid)}::text[]) as x (sequence, txid)`
    await tx`
      insert into inscription_rows (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated,
        unbound, reinscription, parent_ids, content_type, sat_id)
      select sequence, id, sequence, 1, now(), false, false, false, false, '{}', 'text/plain', sequence
      from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.sequence)}::bigint[]) as x (id, sequence)`
    await tx`
      insert into collection_items (collection_id, inscription_id, ordinal, sort_key, item_name, traits)
      select ${collectionId}, id, sequence, sequence, 'Item ' || sequence, '[]'
      from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.sequence)}::bigint[]) as x (id, sequence)`
    await tx`select rebuild_collection(${collectionId})`
  })
  return rows
}

async function items(sort: 'oldest' | 'newest'): Promise<Feed> {
  const { collectionId, slug } = await makeCollection()
  const feed: Feed = {
    path: `/collection/${slug}/inscriptions?sort=${sort}`,
    ids: (answer) => answer.items.map((item: any) => item.id),
    ascending: [sort === 'oldest'],
    rows: [],
    async insert(count) {
      for (const row of await makeItems(collectionId, count))
        feed.rows.push({ id: row.id, keys: [row.sequence], expiresAt: null })
    },
    async disturb(pick) {
      const row = feed.rows[pick % feed.rows.length]!
      await moveItem(market.sql, row.id, hex())
    },
  }
  return feed
}

/** Listings as API rows, or as items of the storefront's grid. */
async function listings(
  sort: 'recent' | 'price' | 'price-desc',
  of: 'seller' | 'collection' | 'grid',
): Promise<Feed> {
  const { collectionId, slug } = await makeCollection()
  const seller = freshWallet()
  const path = {
    seller: `/listings?sort=${sort}&sellerAddress=${seller.ordinalsAddress}`,
    collection: `/listings?sort=${sort}&collectionSlug=${slug}`,
    grid: `/web/v1/collections/${slug}/items?sort=${sort}&listed=true`,
  }[of]
  const feed: Feed = {
    path,
    ids: (answer) => (answer.listings ?? answer.items).map((each: any) => each.listingId),
    ascending: [sort === 'price', sort === 'price-desc', sort === 'price-desc'],
    rows: [],
    async insert(count) {
      for (const { id: inscriptionId } of await makeItems(collectionId, count)) {
        const id = randomUUID()
        const [priceSats, listedAt, expiresAt] = [
          1000 * (1 + Math.floor(Math.random() * 3)),
          moment(),
          soon(),
        ]
        await inTransaction(market.sql, async (tx) => {
          await tx`
            insert into listings (listing_id, anchor_utxo_id, recovery_handle, collection_id, inscription_id, inscription_ids,
              wallet_binding_id, seller_script, price_sats, terms, economics, transfer_txid, transfer_signature,
              leg_signature, recovery_signature, recovery_batch, recovery_index, state, listed_at, expires_at, coin_txid,
              coin_vout)
            values (${id}, ${randomUUID()}, ${randomUUID()}, ${collectionId}, ${inscriptionId}, ${[inscriptionId]}, ${walletBindingId},
              ${seller.ordinalsScript}, ${priceSats}, '{}', '{}', ${hex()}, '', '', '', ${randomUUID()}, 0,
              'buyable', ${listedAt}::text::timestamptz, ${expiresAt === null ? null : new Date(expiresAt)}, ${hex()}, 0)`
          await tx`
            insert into order_events (listing_id, to_state, reason, occurred_at) values (${id}, 'buyable', 'listed', now())`
        })
        feed.rows.push({ id, keys: [sort === 'recent' ? 0 : priceSats, listedAt, id], expiresAt })
      }
    },
    async disturb(pick) {
      const row = feed.rows[pick % feed.rows.length]!
      const to = pick % 3 === 0 ? 'invalidated' : pick % 3 === 1 ? 'cancelled' : null
      if (!to) {
        const [listed] = await market.sql<{ inscriptionId: string }[]>`
          select inscription_id from listings where listing_id = ${row.id}`
        await moveItem(market.sql, listed!.inscriptionId, hex())
        return
      }
      const moved = await inTransaction(market.sql, async (tx) => {
        const rows = await tx`
          update listings set state = ${to}, ended_at = now() where listing_id = ${row.id} and state = 'buyable' returning 1`
        if (rows.length === 1)
          await tx`
            insert into order_events (listing_id, from_state, to_state, reason, occurred_at)
            values (${row.id}, 'buyable', ${to}, 'a test', now())`
        return rows.length === 1
      })
      if (moved) feed.rows = feed.rows.filter((each) => each !== row)
    },
  }
  return feed
}

async function sales(): Promise<Feed> {
  const { collectionId, slug } = await makeCollection()
  const items = await makeItems(collectionId, 5)
  const feed: Feed = {
    path: `/sales?collectionSlug=${slug}`,
    ids: (answer) => answer.sales.map((sale: any) => sale.saleId),
    rows: [],
    async insert(count) {
      for (let n = 0; n < count; n++) {
        const height = 1_000_000 + Math.floor(Math.random() * 4)
        const [row] = await market.sql<{ saleId: number }[]>`
          insert into sales (sale_type, txid, inscription_id, collection_id, price_sats, sold_at, height)
          values ('internal', ${hex()}, ${items[n % items.length]!.id}, ${collectionId}, 1000, now(), ${height})
          returning sale_id`
        feed.rows.push({ id: String(row!.saleId), keys: [height, row!.saleId], expiresAt: null })
      }
    },
    async disturb(pick) {
      const row = feed.rows[pick % feed.rows.length]!
      // As after a reorg.
      await market.sql`delete from sales where sale_id = ${row.id}`
      feed.rows = feed.rows.filter((each) => each !== row)
    },
  }
  return feed
}

async function proposals(): Promise<Feed> {
  const { collectionId, slug } = await makeCollection()
  const [offered] = await makeItems(collectionId, 1)
  const feed: Feed = {
    path: `/trading?collectionSlug=${slug}`,
    ids: (answer) => answer.proposals.map((proposal: any) => proposal.id),
    rows: [],
    async insert(count) {
      for (let n = 0; n < count; n++) {
        const [id, createdAt, expiresAt] = [randomUUID(), moment(), soon()]
        await inTransaction(market.sql, async (tx) => {
          await tx`
            insert into proposals (proposal_id, creator_script, visibility, state, offered_btc_sats, requested_btc_sats,
              marketplace_fee_sats, created_at, expires_at)
            values (${id}, ${reader.wallet.ordinalsScript}, 'public', 'active', 0, 1, 0,
              ${createdAt}::text::timestamptz, ${expiresAt === null ? '2100-01-01' : new Date(expiresAt)})`
          await tx`insert into proposal_items (proposal_id, position, inscription_id) values (${id}, 0, ${offered!.id})`
          await tx`
            insert into proposal_requests (request_id, proposal_id, position, collection_id, quantity, target)
            values (${randomUUID()}, ${id}, 0, ${collectionId}, 1, '{"kind": "all"}')`
        })
        feed.rows.push({ id, keys: [createdAt, id], expiresAt })
      }
    },
    async disturb(pick) {
      const row = feed.rows[pick % feed.rows.length]!
      await market.sql`update proposals set state = 'cancelled' where proposal_id = ${row.id}`
      feed.rows = feed.rows.filter((each) => each !== row)
    },
  }
  return feed
}

function compare(feed: Feed, a: Row, b: Row): number {
  for (const [i, key] of a.keys.entries()) {
    const other = b.keys[i]!
    if (key === other) continue
    return key < other === (feed.ascending?.[i] ?? false) ? -1 : 1
  }
  return 0
}

/** Returns the expected page after a row at a given time: its ids, and whether there is another page. */
function pageAt(feed: Feed, after: Row | null, limit: number, at: number) {
  const left = feed.rows
    .filter((row) => row.expiresAt === null || row.expiresAt > at)
    .filter((row) => after === null || compare(feed, row, after) > 0)
    .sort((a, b) => compare(feed, a, b))
  return { ids: left.slice(0, limit).map((row) => row.id), hasNext: left.length > limit }
}

async function ask(path: string, base: string) {
  const before = Date.now()
  const response = await fetch(path.startsWith('/web/') ? new URL(path, base) : `${base}${path}`, {
    headers: { authorization: `Bearer ${reader.client.token}` },
  })
  const answer = (await response.json()) as any
  expect(response.status, JSON.stringify(answer)).toBe(200)
  return { answer, before, after: Date.now() }
}

const feeds: Record<string, () => Promise<Feed>> = {
  'inscriptions, oldest': () => items('oldest'),
  'inscriptions, newest': () => items('newest'),
  'listings, recent': () => listings('recent', 'seller'),
  'listings, price': () => listings('price', 'seller'),
  'listings of a collection, recent': () => listings('recent', 'collection'),
  'listings of a collection, price': () => listings('price', 'collection'),
  'item grid, recent': () => listings('recent', 'grid'),
  'item grid, price': () => listings('price', 'grid'),
  'item grid, price-desc': () => listings('price-desc', 'grid'),
  sales,
  proposals,
}

for (const [name, open] of Object.entries(feeds))
  it(`${name}: pages match the model`, async () => {
    const feed = await open()
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: 12 }),
        fc.infiniteStream(fc.nat(1000)),
        async (limit, size, choices) => {
          const choose = () => choices.next().value as number
          await feed.insert(size)
          const seen = new Set<string>()
          let last: Row | null = null
          for (let cursor: string | null = null; ; ) {
            const page = `limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`
            const path = `${feed.path}&${page}`
            // Fill the caches of both servers.
            const [first, other] = choose() % 2 === 0 ? bases : bases.toReversed()
            for (const base of [first!, other!]) {
              const { answer, before, after } = await ask(path, base)
              const ids = feed.ids(answer)
              // Rows that expire during the request are optional.
              const allowed = [before, ...feed.rows.flatMap((row) => row.expiresAt ?? []), after]
                .filter((at) => at >= before && at <= after)
                .map((at) => pageAt(feed, last, limit, at))
              expect(allowed).toContainEqual({ ids, hasNext: answer.pagination.hasNext })
              expect(answer.pagination.nextCursor !== null).toBe(answer.pagination.hasNext)
              if (base !== other) continue
              for (const id of ids) {
                expect(seen.has(id)).toBe(false)
                seen.add(id)
              }
              const lastId = ids.at(-1)
              if (lastId) last = { ...feed.rows.find((row) => row.id === lastId)! }
              cursor = answer.pagination.nextCursor
            }
            if (!cursor) break
            if (choose() % 3 === 0) await feed.insert(1)
            if (choose() % 3 === 0 && feed.rows.length > 0) await feed.disturb(choose())
          }
        },
      ),
      { numRuns: 8, endOnFailure: true },
    )
  }, 60_000)

it('read models match their sources', async () => {
  const { sql } = market
  expect(await checkRollups({ ...market.server.context, sql })).toEqual([])
})
