import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrateIn } from '@ordbook/db/schema/migrate.ts'
import { type Migration, numberOf, readMigrations } from '@ordbook/db/schema/migrations.ts'
import { planUpgrade } from '@ordbook/db/schema/upgrade.ts'
import { afterAll, expect, it } from 'vitest'
import { freshDatabase } from '../support/market.ts'

const folder = mkdtempSync(join(tmpdir(), 'ordbook-upgrade-'))
afterAll(() => rmSync(folder, { recursive: true }))

const currentMigrations = readMigrations()
const last = numberOf(currentMigrations.at(-1)!.name)
/** Migrations of future releases: one adds to the schema, the other removes from it. */
const adding: Migration = {
  name: '9998-adds.sql',
  text: 'create table added (n int)',
  checksum: 'a',
  oldestCode: last,
}
const breaking: Migration = {
  name: '9999-takes.sql',
  text: 'drop table settings',
  checksum: 'b',
  oldestCode: '9999',
}

async function database(migrations: readonly Migration[]): Promise<{ url: string; sql: Sql }> {
  const url = await freshDatabase()
  const sql = connect(url, { max: 1 })
  await sql.begin((tx) => migrateIn(tx, migrations))
  return { url, sql }
}

function upgrade(url: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../../scripts/market/upgrade.ts'), ...args],
    { env: { ...process.env, DATABASE_URL: url }, encoding: 'utf8' },
  )
  return { status, said: stdout + stderr }
}

it('applies additive migrations while servers are running', async () => {
  const { url, sql } = await database(currentMigrations)
  const server = connect(url, { as: 'requests', max: 1 })
  await server`select 1`
  const connected = [{ address: '127.0.0.1', connections: 1 }]
  expect(await planUpgrade(sql, [...currentMigrations, adding, breaking])).toEqual({
    pending: [adding.name, breaking.name],
    breaking: [breaking.name],
    connected,
  })
  await expect(sql.begin((tx) => migrateIn(tx, [...currentMigrations, adding, breaking]))).rejects.toThrow(
    '9999-takes.sql is incompatible with older code, and processes of the market are connected (1 connection from 127.0.0.1)',
  )
  expect((await planUpgrade(sql, [...currentMigrations, adding])).connected).toEqual(connected)
  expect(await sql.begin((tx) => migrateIn(tx, [...currentMigrations, adding]))).toEqual([adding.name])
  await server.end()
  // PostgreSQL ends a closed connection's backend a moment later.
  await expect
    .poll(async () => (await planUpgrade(sql, [...currentMigrations, adding, breaking])).connected)
    .toEqual([])
  expect(await sql.begin((tx) => migrateIn(tx, [...currentMigrations, adding, breaking]))).toEqual([
    breaking.name,
  ])
  await sql.end()
})

it('leaves empty and newer databases unchanged', async () => {
  const url = await freshDatabase()
  expect(upgrade(url, join(folder, 'none.backup'))).toEqual({
    status: 1,
    said: expect.stringContaining('the database is empty'),
  })
  const newer = await database([...currentMigrations, breaking])
  expect(upgrade(newer.url, '--look')).toEqual({
    status: 1,
    said: expect.stringContaining('which requires a release with migration 9999'),
  })
  expect(upgrade(newer.url)).toEqual({ status: 1, said: expect.stringContaining('expected one file') })
  await newer.sql.end()
})
