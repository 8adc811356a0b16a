import { connect, inTransaction, type Queryable, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampled } from '../../../../e2e/support/effort.ts'
import { freshDatabase } from '../../../../e2e/support/market.ts'

/** A simpler, quadratic implementation of floor_history_of, as a reference. */
const QUADRATIC = `
create function quadratic_floor_history_of(c uuid, begin_at timestamptz) returns setof floor_history language sql stable as $$
  with times as (
    select opened_at as since from book_entries where collection_id = c and opened_at >= begin_at
    union select closed_at from book_entries where collection_id = c and closed_at >= begin_at
  ), floors as (
    (select since, floor_sats, false as new from floor_history
      where collection_id = c and since < begin_at order by since desc limit 1)
    union all
    select t.since, least(
      (select a.price_sats from book_entries a where a.collection_id = c and a.closed_at is null and a.opened_at <= t.since
        order by -a.price_sats desc limit 1),
      (select min(a.price_sats) from book_entries a
        where a.collection_id = c and a.closed_at > t.since and a.opened_at <= t.since)), true
    from times t
  ), steps as (
    select since, floor_sats, new, lag(floor_sats) over (order by since) as before from floors
  )
  select c, since, floor_sats from steps where new and floor_sats is distinct from before
$$`
const COLLECTION = '11111111-1111-4111-8111-111111111111'
let sql: Sql
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 1 })
  await migrate(sql)
  await sql.unsafe(QUADRATIC)
  // Insert entries without listings, and without the trigger that updates the history.
  await sql.unsafe(`alter table book_entries drop constraint book_entries_collection_id_fkey;
    alter table book_entries drop constraint book_entries_listing_id_fkey;
    alter table book_entries disable trigger book_entries_made`)
  await sql.unsafe('alter table floor_history drop constraint floor_history_collection_id_fkey')
})
afterAll(() => sql?.end())

interface Entry {
  price: number
  opened: number
  /** Null for an open entry. 0 for an entry that closes when it opens. */
  lasts: number | null
}

const entry = (most: { price: number; time: number }): fc.Arbitrary<Entry> =>
  fc.record({
    price: fc.integer({ min: 1, max: most.price }),
    opened: fc.integer({ min: 1, max: most.time }),
    lasts: fc.option(fc.integer({ min: 0, max: most.time }), { nil: null }),
  })
/** Small ranges produce many equal prices and times. */
const book = fc.oneof(
  fc.array(entry({ price: 3, time: 6 }), { maxLength: 12 }),
  fc.array(entry({ price: 1, time: 40 }), { maxLength: 40 }),
  fc.array(entry({ price: 1000, time: 1000 }), { maxLength: 60 }),
)

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))

async function fill(entries: readonly Entry[], tx: Queryable = sql): Promise<void> {
  await tx`delete from book_entries`
  await tx`delete from floor_history`
  if (entries.length === 0) return
  await tx`
    insert into book_entries (collection_id, listing_id, inscription_id, opened_by, price_sats, listed_at, opened_at, closed_at)
    select ${COLLECTION}, md5(e.n::text)::uuid, 'item', e.n, e.price, e.opened, e.opened, e.closed
    from unnest(${entries.map((_, n) => n)}::int[], ${entries.map(({ price }) => price)}::int[],
      ${entries.map(({ opened }) => at(opened))}::timestamptz[],
      ${entries.map(({ opened, lasts }) => (lasts === null ? null : at(opened + lasts)))}::timestamptz[])
      as e (n, price, opened, closed)`
}

const historyBy = (name: string, from: Date | '-infinity') =>
  sql.unsafe(
    `select since, floor_sats from ${name}('${COLLECTION}', '${from === '-infinity' ? from : from.toISOString()}') order by since`,
  )

it('floor_history_of equals the quadratic reference', async () => {
  let steps = 0
  await fc.assert(
    fc.asyncProperty(book, fc.integer({ min: 0, max: 50 }), async (entries, second) => {
      await fill(entries)
      const whole = await historyBy('floor_history_of', '-infinity')
      expect(whole).toEqual(await historyBy('quadratic_floor_history_of', '-infinity'))
      steps += whole.length
      await sql`insert into floor_history select * from floor_history_of(${COLLECTION}, '-infinity') where since < ${at(second)}`
      expect(await historyBy('floor_history_of', at(second))).toEqual(
        await historyBy('quadratic_floor_history_of', at(second)),
      )
    }),
    { numRuns: sampled(150, 2000) },
  )
  expect(steps).toBeGreaterThan(100)
})

it('floor_history_of returns one step per price change', async () => {
  const entries = (price: (n: number) => number) =>
    Array.from({ length: 20_000 }, (_, n) => ({ price: price(n), opened: n, lasts: null }))
  await fill(entries((n) => 1_000_000 - n))
  expect(await historyBy('floor_history_of', '-infinity')).toHaveLength(20_000)
  await fill(entries(() => 50_000))
  expect(await historyBy('floor_history_of', '-infinity')).toEqual([{ since: at(0), floorSats: 50_000 }])
})

const ROLLBACK = new Error('rollback')

/** Returns the number of rows that the trigger reads and writes when `count` entries of a collection close at the same time. */
async function workOfClosing(count: number): Promise<number> {
  const measure = async (tx: Queryable) => {
    const [row] = await tx<{ rows: number }[]>`
      select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del)::int as rows
      from pg_stat_xact_user_tables where relname in ('book_entries', 'floor_history')`
    return row!.rows
  }
  let rows = 0
  await inTransaction(sql, async (tx) => {
    await tx.unsafe('set local enable_seqscan = off')
    await fill(
      Array.from({ length: count }, (_, n) => ({ price: 1000 + n, opened: n, lasts: null })),
      tx,
    )
    await tx`insert into floor_history select * from floor_history_of(${COLLECTION}, '-infinity')`
    await tx`update book_entries set closed_at = ${at(count)}`
    const before = await measure(tx)
    await tx.unsafe('set constraints all immediate')
    rows = (await measure(tx)) - before
    const last = await tx`select since, floor_sats from floor_history order by since desc limit 1`
    expect(last).toEqual([{ since: at(count), floorSats: null }])
    throw ROLLBACK
  }).catch((error: unknown) => {
    if (error !== ROLLBACK) throw error
  })
  return rows
}

it('takes steps in proportion to the listings that end together', async () => {
  const few = await workOfClosing(100)
  expect(few).toBeGreaterThan(0)
  expect(await workOfClosing(400)).toBeLessThan(5 * few)
})
