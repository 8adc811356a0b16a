import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { checkSchema, migrate } from '@ordbook/db/schema/migrate.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../../e2e/support/market.ts'

let sql: Sql
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 2 })
})
afterAll(() => sql?.end())

const record = (name: string, oldestCode: string) =>
  sql`insert into migrations (name, checksum, oldest_code) values (${name}, 'a checksum', ${oldestCode})`
const forget = (name: string) => sql`delete from migrations where name = ${name}`

it('migrate applies each migration once', async () => {
  const [first, second] = await Promise.all([migrate(sql), migrate(sql)])
  expect([first.length, second.length].toSorted((a, b) => a - b)[0]).toBe(0)
  expect(await migrate(sql)).toEqual([])
  const rows = await sql<{ name: string; checksum: string }[]>`select name, checksum from migrations`
  expect(rows.length).toBe(first.length + second.length)
  for (const { checksum } of rows) expect(checksum).toMatch(/^[0-9a-f]{64}$/)
})

it('migrate accepts a newer compatible schema', async () => {
  await record('9998-expands.sql', '0001')
  expect(await migrate(sql)).toEqual([])
  await record('9999-contracts.sql', '9998')
  await expect(migrate(sql)).rejects.toThrow(
    /9999-contracts\.sql, which requires a release with migration 9998/,
  )
  await expect(checkSchema(sql)).rejects.toThrow(/Install a newer release/)
  await forget('9999-contracts.sql')
  await forget('9998-expands.sql')
  expect(await migrate(sql)).toEqual([])
})

const unreleased = (name: string) =>
  `DATABASE_URL: an unreleased version of ordbook created this database. Its migration ${name} differs from this version's, so it cannot be upgraded. Create an empty database or, for the embedded PostgreSQL, use a new DATA_DIR.`

it('migrate rejects a different baseline migration', async () => {
  const name = '0001-baseline.sql'
  const [row] = await sql<{ checksum: string }[]>`select checksum from migrations where name = ${name}`
  await sql`update migrations set checksum = repeat('0', 64) where name = ${name}`
  await expect(migrate(sql)).rejects.toThrow(unreleased(name))
  await expect(checkSchema(sql)).rejects.toThrow(unreleased(name))
  await sql`update migrations set checksum = ${row!.checksum} where name = ${name}`
  expect(await migrate(sql)).toEqual([])
})

it('migrate rejects unknown older migrations', async () => {
  const other = connect(await freshDatabase(), { max: 1 })
  await other`create table migrations (name text primary key, checksum text not null, oldest_code text not null)`
  const [first, second] = ['0001-index.sql', '0002-accounts.sql']
  await other`insert into migrations values (${first!}, 'a checksum', '0001'), (${second!}, 'a checksum', '0002')`
  await expect(migrate(other)).rejects.toThrow(unreleased(first!))
  const tables = await other`select 1 from pg_tables where schemaname = 'public'`
  expect(tables.length).toBe(1)
  await other.end()
})
