import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { PRUNED } from '@ordbook/operations/pruning.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../../e2e/support/market.ts'
import { printOrderEvents } from '../../../scripts/schema/order-events.ts'

let sql: Sql
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 1 })
  await migrate(sql)
})
afterAll(() => sql?.end())

it('printOrderEvents lists the triggers of a state change', async () => {
  const text = await printOrderEvents(sql)
  for (const step of [
    'update_book_entries',
    'book_entries_changed',
    'collection_floors_published',
    'live_events',
  ])
    expect(text).toContain(step)
})

it('docs/reference/schema.md documents every table', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/reference/schema.md'), 'utf8')
  const documented = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, table]) => table!)
  const tables = await sql<{ name: string }[]>`
    select tablename::text as name from pg_tables where schemaname = 'public'`
  expect([...documented, 'migrations'].sort()).toEqual(tables.map(({ name }) => name).sort())
})

it('docs/reference/retention.md documents every table', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/reference/retention.md'), 'utf8')
  const [about, kept] = text.split('## Kept forever') as [string, string]
  const [pruned, others] = about.split('These rows are deleted with') as [string, string]
  const rowsOf = (text: string) =>
    [...text.matchAll(/^\| (`[^|]*`) *\|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`(\w+)`/g)].map(([, table]) => table!),
    )
  expect(rowsOf(pruned).sort()).toEqual(Object.keys(PRUNED).sort())
  const tables = await sql<{ name: string }[]>`
    select tablename::text as name from pg_tables where schemaname = 'public'`
  const documented = [...rowsOf(pruned), ...rowsOf(others), ...rowsOf(kept)]
  expect(documented.sort()).toEqual(tables.map(({ name }) => name).sort())
})

it('every SQL function has a comment', async () => {
  const undocumented = await sql<{ name: string }[]>`
    select proname::text as name from pg_proc
    where pronamespace = 'public'::regnamespace and obj_description(oid, 'pg_proc') is null`
  expect(undocumented).toEqual([])
})
