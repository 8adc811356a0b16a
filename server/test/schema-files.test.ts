import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type Sql } from '@ordbook/server/db/connect.ts'
import { migrate } from '@ordbook/server/db/migrate.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../e2e/support/market.ts'
import { dumpSchema } from '../../scripts/schema/dump.ts'
import { printOrderEvents } from '../../scripts/schema/order-events.ts'

/** The files that `npm run schema` prints are those of the migrations. */
const printed = (file: string) =>
  readFileSync(join(import.meta.dirname, '../..', file), 'utf8').replaceAll('\r\n', '\n')

let sql: Sql
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 1 })
  await migrate(sql)
})
afterAll(() => sql?.end())

it('keeps schema.sql equal to what the migrations make: npm run schema prints it', async () => {
  expect(await dumpSchema(sql)).toBe(printed('server/src/db/schema.sql'))
})

it('keeps docs/reference/order-events.md equal to the triggers of the database', async () => {
  const page = await printOrderEvents(sql)
  expect(page).toBe(printed('docs/reference/order-events.md'))
  for (const step of [
    'update_book_entries',
    'book_entries_changed',
    'collection_floors_published',
    'live_events',
  ])
    expect(page).toContain(step)
})

it('has a comment on every SQL function', async () => {
  const silent = await sql<{ name: string }[]>`
    select proname::text as name from pg_proc
    where pronamespace = 'public'::regnamespace and obj_description(oid, 'pg_proc') is null`
  expect(silent).toEqual([])
})

it('shows a column, an index, a trigger and a function that are new, and a row that a migration inserts', async () => {
  const before = await dumpSchema(sql)
  await sql`alter table listings add column added text not null default 'Yes'`
  await sql`create index listings_added on listings (added) where state = 'buyable'`
  await sql`create function added() returns trigger language plpgsql as $$ begin return null; end $$`
  await sql`create trigger listings_added after insert on listings for each row execute function added()`
  await sql`insert into market_coin_moves values ('spent', 'new')`
  const added = (await dumpSchema(sql)).split('\n').filter((line) => !before.split('\n').includes(line))
  expect(added).toEqual([
    "  added text not null default 'Yes'::text,",
    "create index listings_added on listings (added) where (state = 'buyable'::text);",
    'create trigger listings_added after insert on listings for each row execute function added();',
    'CREATE OR REPLACE FUNCTION public.added()',
    'AS $function$ begin return null; end $function$;',
    '--   {"to_state": "new", "from_state": "spent"}',
  ])
})
