import { randomUUID } from 'node:crypto'
import { connect, inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { tagOf } from '@ordbook/db/driver/statement.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { expireListings, moveListings } from '@ordbook/market/listings/lifecycle.ts'
import { listUnexplained } from '@ordbook/market/listings/log-queries.ts'
import type { ListingState } from '@ordbook/market/listings/states.ts'
import { undoEvents } from '@ordbook/market/listings/undo-events.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../../e2e/support/market.ts'

const COUNT = 60
const [collectionId, profileId, bindingId] = [randomUUID(), randomUUID(), randomUUID()]
let sql: Sql
let ids: string[]
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 1 })
  await migrate(sql)
  await sql`
    insert into collections (collection_id, slug, name, verification_status, imported_at)
    values (${collectionId}, 'hats', 'Hats', 'verified', now())`
  await sql`
    insert into collection_items (collection_id, inscription_id, ordinal, sort_key, item_name, traits)
    select ${collectionId}, lpad(n::text, 64, '0') || 'i0', n, n, 'Hat ' || n, '[]' from generate_series(1, ${COUNT}::int) n`
  await sql`insert into profiles (profile_id) values (${profileId})`
  await sql`
    insert into wallet_bindings (wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, is_public)
    values (${bindingId}, ${profileId}, 'Wallet', 'unknown', 'a', 'b', false)`
  const rows = await sql<{ listingId: string }[]>`
    insert into listings (listing_id, anchor_utxo_id, recovery_handle, collection_id, inscription_id, inscription_ids,
      wallet_binding_id, seller_script, price_sats, terms, economics, transfer_txid, transfer_signature, leg_signature,
      recovery_batch, recovery_index, state, listed_at, coin_txid, coin_vout, sat_offset)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), collection_id, inscription_id, array[inscription_id],
      ${bindingId}, 'a', 10000 + ordinal, '{}', '{}', md5(inscription_id) || md5(inscription_id), '', '',
      gen_random_uuid(), 0, 'buyable', now(), left(inscription_id, 64), 0, 0
    from collection_items returning listing_id`
  ids = rows.map((row) => row.listingId)
  await sql`
    insert into order_events (listing_id, to_state, reason, occurred_at)
    select listing_id, 'buyable', 'listed', listed_at from listings`
})
afterAll(() => sql?.end())

const ROLLBACK = new Error('rollback')

/** Returns rows written in this session since the statistics were last reported. */
async function writesOf(tx: Transaction): Promise<Record<string, number>> {
  const tables = await tx<{ name: string; rows: number }[]>`
    select relname::text as name, (n_tup_ins + n_tup_upd)::int as rows from pg_stat_xact_user_tables
    where relname in ('collection_floors', 'floor_changes')`
  return Object.fromEntries(tables.map((row) => [row.name, row.rows]))
}

/** Runs `change` in a transaction that is rolled back, after `prepare`. Returns what it ran, and the result of `look` at its end. */
async function changing<T>(
  prepare: (tx: Transaction) => Promise<unknown>,
  change: (tx: Transaction) => Promise<unknown>,
  look: (tx: Transaction) => Promise<T>,
) {
  const work = { statements: 0, floors: {} as Record<string, number> }
  let seen: T | undefined
  await inTransaction(sql, async (tx) => {
    await prepare(tx)
    await tx.unsafe('set constraints all immediate')
    await tx.unsafe('set constraints all deferred')
    const before = await writesOf(tx)
    const run: Transaction['run'] = (command) => {
      work.statements++
      return tx.run(command)
    }
    await change(Object.assign(tagOf(run), { run }))
    await tx.unsafe('set constraints all immediate')
    const after = await writesOf(tx)
    work.floors = Object.fromEntries(
      Object.entries(after).map(([name, rows]) => [name, rows - (before[name] ?? 0)]),
    )
    seen = await look(tx)
    throw ROLLBACK
  }).catch((error: unknown) => {
    if (error !== ROLLBACK) throw error
  })
  return { work, seen: seen! }
}

const move = async (tx: Transaction, count: number, to: ListingState, height?: number) => {
  const listings = ids.slice(0, count).map((listingId) => ({ listingId, reason: 'moved' }))
  const moved = await moveListings(tx, listings, to, {
    now: new Date(),
    ...(height !== undefined && { height }),
  })
  expect(moved.size).toBe(count)
}

/** Moves the first listings. */
const moving = <T>(count: number, to: ListingState, look: (tx: Transaction) => Promise<T>) =>
  changing(
    async () => {},
    (tx) => move(tx, count, to),
    look,
  )

it.each(['invalidated', 'cancelled', 'hidden_locked'] as const)(
  'runs the same statements for one and many listings: %s',
  async (to) => {
    const few = await moving(2, to, async () => null)
    expect(few.work.floors).toMatchObject({ collection_floors: 1, floor_changes: 1 })
    expect((await moving(COUNT, to, async () => null)).work).toEqual(few.work)
  },
)

it('updates book, floor, log and feed of each listing', async () => {
  const { seen } = await moving(COUNT - 1, 'invalidated', async (tx) => {
    const [row] = await tx<Record<string, number>[]>`
      select (select count(*) from book_entries where closed_at is null) as open,
        (select floor_sats from collection_floors) as floor, (select listed_count from collection_floors) as listed,
        (select count(*) from order_log_queue where change ->> 'to' = 'invalidated') as logged,
        (select count(*) from live_events where kind = 'listing' and data ->> 'state' = 'invalidated') as published,
        (select count(*) from floor_history) as floors, (select count(*) from floor_changes) as pending`
    return row
  })
  expect(seen).toEqual({
    open: 1,
    floor: 10_000 + COUNT,
    listed: 1,
    logged: COUNT - 1,
    published: COUNT - 1,
    floors: 2,
    pending: 0,
  })
})

it('keeps the floors of other collections right after a rebuild in the same transaction', async () => {
  const { seen } = await moving(COUNT - 1, 'invalidated', async (tx) => {
    const other = randomUUID()
    await tx`
      insert into collections (collection_id, slug, name, verification_status, imported_at)
      values (${other}, 'caps', 'Caps', 'verified', now())`
    await tx.unsafe('set constraints all deferred')
    await tx`update book_entries set closed_at = now() where closed_at is null`
    await tx`select rebuild_collection(${other})`
    await tx.unsafe('set constraints all immediate')
    const [row] = await tx<{ listed: number }[]>`
      select listed_count as listed from collection_floors where collection_id = ${collectionId}`
    return row
  })
  expect(seen).toEqual({ listed: 0 })
})

const HEIGHT = 7
const undoing = <T>(count: number, look: (tx: Transaction) => Promise<T>) =>
  changing(
    (tx) => move(tx, count, 'sold', HEIGHT),
    (tx) => undoEvents(tx, HEIGHT),
    look,
  )

it('undoes many sales with the same statements as one', async () => {
  const few = await undoing(2, async () => null)
  expect(few.work.floors).toMatchObject({ collection_floors: 1, floor_changes: 1 })
  const { work, seen } = await undoing(COUNT, async (tx) => {
    expect(await listUnexplained(tx)).toEqual([])
    const [row] = await tx<Record<string, number>[]>`
      select (select count(*) from listings where state = 'buyable') as buyable,
        (select count(*) from book_entries where closed_at is null) as open,
        (select count(*) from order_events where undoes is not null and height is null) as reverted`
    return row
  })
  expect(work).toEqual(few.work)
  expect(seen).toEqual({ buyable: COUNT, open: COUNT, reverted: COUNT })
})

it('ends the listing of a buyer who had sold again in the undone block', async () => {
  const resale = randomUUID()
  await changing(
    async (tx) => {
      await move(tx, 1, 'sold', HEIGHT)
      await tx`
        insert into listings select (jsonb_populate_record(l, jsonb_build_object('listing_id', ${resale}::uuid,
          'anchor_utxo_id', gen_random_uuid(), 'recovery_handle', gen_random_uuid(), 'recovery_batch', gen_random_uuid(),
          'state', 'buyable', 'ended_at', null, 'coin_vout', 1))).* from listings l where listing_id = ${ids[0]!}`
      await tx`
        insert into order_events (listing_id, to_state, reason, occurred_at) values (${resale}, 'buyable', 'listed', now())`
      await moveListings(tx, [{ listingId: resale, reason: 'moved' }], 'sold', {
        now: new Date(),
        height: HEIGHT,
      })
    },
    (tx) => undoEvents(tx, HEIGHT),
    async (tx) => {
      expect(await listUnexplained(tx)).toEqual([])
      const states = await tx<{ listingId: string; state: ListingState }[]>`
        select listing_id, state from listings where listing_id in (${resale}, ${ids[0]!}) order by state`
      expect(states).toEqual([
        { listingId: ids[0], state: 'buyable' },
        { listingId: resale, state: 'invalidated' },
      ])
    },
  )
})

it('expires many listings with the same statements as one', async () => {
  /** Expires listings and returns the number of statements. */
  const expire = async (expired: readonly string[]) => {
    await sql`
      update listings set expires_at = date_trunc('second', now()) + interval '1 hour' * (price_sats - 10000)
      where listing_id = any(${expired as string[]}::uuid[])`
    let statements = 0
    const counted = <Q extends Pick<Transaction, 'run'>>({ run }: Q) => {
      const count: Transaction['run'] = (command) => {
        statements++
        return run(command)
      }
      return Object.assign(tagOf(count), { run: count })
    }
    const begin: Sql['begin'] = (work) => sql.begin((tx) => work(counted(tx)))
    await expireListings({
      sql: Object.assign(counted(sql), { begin, signing: sql.signing, within: sql.within, end: sql.end }),
      clock: () => new Date('2100-01-01'),
    })
    return statements
  }
  const few = await expire(ids.slice(0, 2))
  expect(await expire(ids.slice(2))).toBe(few)
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from listings l join order_events e using (listing_id)
    where l.state = 'expired' and e.to_state = 'expired' and l.ended_at = l.expires_at and e.occurred_at = l.expires_at`
  expect(row!.count).toBe(COUNT)
})
