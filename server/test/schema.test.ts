import { connect, type Sql } from '@ordbook/server/db/connect.ts'
import { checkSchema, migrate } from '@ordbook/server/db/migrate.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../../e2e/support/market.ts'

/** The schemas that this code uses, and those that it refuses. */
let sql: Sql
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 2 })
})
afterAll(() => sql?.end())

const record = (name: string, oldestCode: string) =>
  sql`insert into migrations (name, checksum, oldest_code) values (${name}, 'a checksum', ${oldestCode})`
const forget = (name: string) => sql`delete from migrations where name = ${name}`

it('applies each migration once, also from two processes at once, with its checksum', async () => {
  const [first, second] = await Promise.all([migrate(sql), migrate(sql)])
  expect([first.length, second.length].toSorted((a, b) => a - b)[0]).toBe(0)
  expect(await migrate(sql)).toEqual([])
  const rows = await sql<{ name: string; checksum: string }[]>`select name, checksum from migrations`
  expect(rows.length).toBe(first.length + second.length)
  for (const { checksum } of rows) expect(checksum).toMatch(/^[0-9a-f]{64}$/)
})

it('refuses a migration that was changed after it had been applied, with its name', async () => {
  const [row] = await sql<
    { checksum: string }[]
  >`select checksum from migrations where name = '0001-index.sql'`
  await sql`update migrations set checksum = repeat('0', 64) where name = '0001-index.sql'`
  await expect(migrate(sql)).rejects.toThrow(/the migration 0001-index\.sql was changed/)
  await sql`update migrations set checksum = ${row!.checksum} where name = '0001-index.sql'`
  expect(await migrate(sql)).toEqual([])
})

it('goes on with a newer schema that allows this code, and refuses one that does not', async () => {
  await record('9998-expands.sql', '0001')
  expect(await migrate(sql)).toEqual([])
  await record('9999-contracts.sql', '9998')
  await expect(migrate(sql)).rejects.toThrow(/9999-contracts\.sql, which only code from 9998 on may use/)
  await expect(checkSchema(sql)).rejects.toThrow(/Install the release that made it/)
  await forget('9999-contracts.sql')
  await forget('9998-expands.sql')
  expect(await migrate(sql)).toEqual([])
})

it('refuses a migration of another line, whatever it allows', async () => {
  await record('0001-other.sql', '0001')
  await expect(migrate(sql)).rejects.toThrow(/0001-other\.sql, which this code does not know/)
  await forget('0001-other.sql')
})

const UNRELEASED = /database from before the first release, which is not converted.*Begin with a new database/

it('refuses a database of the first version and leaves it as it is', async () => {
  const old = connect(await freshDatabase(), { max: 1 })
  await old`create table migrations (name text primary key, applied_at timestamptz not null default now())`
  await old`insert into migrations (name) values ('0001-chain.sql')`
  await expect(migrate(old)).rejects.toThrow(UNRELEASED)
  const tables = await old`select 1 from pg_tables where schemaname = 'public'`
  expect(tables.length).toBe(1)
  await old.end()
})

it('refuses a database of a later version from before the first release, and says what to do', async () => {
  await record('0001-chain.sql', '0001')
  await expect(migrate(sql)).rejects.toThrow(UNRELEASED)
  await expect(checkSchema(sql)).rejects.toThrow(UNRELEASED)
  await forget('0001-chain.sql')
})
