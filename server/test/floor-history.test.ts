import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type Sql } from '@ordbook/server/db/connect.ts'
import { migrate } from '@ordbook/server/db/migrate.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampled } from '../../e2e/support/effort.ts'
import { freshDatabase } from '../../e2e/support/market.ts'

/** The floor history of random book entries: the function that computes it agrees with its former, quadratic text. */
const FORMER = join(import.meta.dirname, '../src/db/functions/replaced/collection-floors.eda23cc8044a.sql')
const COLLECTION = '11111111-1111-4111-8111-111111111111'
let sql: Sql
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 1 })
  await migrate(sql)
  const text = readFileSync(FORMER, 'utf8')
  const former = /create or replace function floor_history_of.*?\$\$;/s.exec(text)![0]
  await sql.unsafe(former.replace('floor_history_of', 'former_floor_history_of'))
  // The entries stand alone here: of no listing, and without the trigger that keeps the history.
  await sql.unsafe(`alter table book_entries drop constraint book_entries_collection_id_fkey;
    alter table book_entries drop constraint book_entries_listing_id_fkey;
    alter table book_entries disable trigger book_entries_changed`)
  await sql.unsafe('alter table floor_history drop constraint floor_history_collection_id_fkey')
})
afterAll(() => sql?.end())

interface Entry {
  price: number
  opened: number
  /** Null: it is in the book. An entry may end at the moment at which it begins. */
  lasts: number | null
}

const entry = (most: { price: number; time: number }): fc.Arbitrary<Entry> =>
  fc.record({
    price: fc.integer({ min: 1, max: most.price }),
    opened: fc.integer({ min: 1, max: most.time }),
    lasts: fc.option(fc.integer({ min: 0, max: most.time }), { nil: null }),
  })
/** Few prices and times give many equal ones. */
const book = fc.oneof(
  fc.array(entry({ price: 3, time: 6 }), { maxLength: 12 }),
  fc.array(entry({ price: 1, time: 40 }), { maxLength: 40 }),
  fc.array(entry({ price: 1000, time: 1000 }), { maxLength: 60 }),
)

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))

async function fill(entries: readonly Entry[]): Promise<void> {
  await sql`delete from book_entries`
  await sql`delete from floor_history`
  if (entries.length === 0) return
  await sql`
    insert into book_entries (collection_id, listing_id, opened_by, price_sats, listed_at, opened_at, closed_at)
    select ${COLLECTION}, md5(e.n::text)::uuid, e.n, e.price, e.opened, e.opened, e.closed
    from unnest(${entries.map((_, n) => n)}::int[], ${entries.map(({ price }) => price)}::int[],
      ${entries.map(({ opened }) => at(opened))}::timestamptz[],
      ${entries.map(({ opened, lasts }) => (lasts === null ? null : at(opened + lasts)))}::timestamptz[])
      as e (n, price, opened, closed)`
}

const historyBy = (name: string, from: Date | '-infinity') =>
  sql.unsafe(
    `select since, floor_sats from ${name}('${COLLECTION}', '${from === '-infinity' ? from : from.toISOString()}') order by since`,
  )

it('equals the former one, of the whole time and from any moment on', async () => {
  let steps = 0
  await fc.assert(
    fc.asyncProperty(book, fc.integer({ min: 0, max: 50 }), async (entries, second) => {
      await fill(entries)
      const whole = await historyBy('floor_history_of', '-infinity')
      expect(whole).toEqual(await historyBy('former_floor_history_of', '-infinity'))
      steps += whole.length
      await sql`insert into floor_history select * from floor_history_of(${COLLECTION}, '-infinity') where since < ${at(second)}`
      expect(await historyBy('floor_history_of', at(second))).toEqual(
        await historyBy('former_floor_history_of', at(second)),
      )
    }),
    { numRuns: sampled(150, 2000) },
  )
  expect(steps).toBeGreaterThan(100)
})

it('takes a step for each listing where each is cheaper than the last, or none is', async () => {
  const entries = (price: (n: number) => number) =>
    Array.from({ length: 20_000 }, (_, n) => ({ price: price(n), opened: n, lasts: null }))
  await fill(entries((n) => 1_000_000 - n))
  expect(await historyBy('floor_history_of', '-infinity')).toHaveLength(20_000)
  await fill(entries(() => 50_000))
  expect(await historyBy('floor_history_of', '-infinity')).toEqual([{ since: at(0), floorSats: 50_000 }])
})
