import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { restore } from '@ordbook/server/backup/restore.ts'
import { connect, type Sql } from '@ordbook/server/db/connect.ts'
import { migrate, migrateIn } from '@ordbook/server/db/migrate.ts'
import { type Migration, numberOf, readMigrations } from '@ordbook/server/db/migrations.ts'
import { planUpgrade } from '@ordbook/server/db/upgrade.ts'
import { afterAll, expect, it } from 'vitest'
import { freshDatabase } from './support/market.ts'

const folder = mkdtempSync(join(tmpdir(), 'ordbook-upgrade-'))
afterAll(() => rmSync(folder, { recursive: true }))

const own = readMigrations()
const last = numberOf(own.at(-1)!.name)
/** Migrations of releases to come: one only adds, the other takes away. */
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

/** A database of an earlier version. */
async function database(migrations: readonly Migration[]): Promise<{ url: string; sql: Sql }> {
  const url = await freshDatabase()
  const sql = connect(url, { max: 1 })
  await sql.begin((tx) => migrateIn(tx, migrations))
  return { url, sql }
}

function upgrade(url: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../scripts/upgrade.ts'), ...args],
    { env: { ...process.env, DATABASE_URL: url }, encoding: 'utf8' },
  )
  return { status, said: stdout + stderr }
}

it('backs an earlier version up, brings it up to date, and does nothing twice', async () => {
  const { url, sql } = await database(own.slice(0, -1))
  await sql`insert into settings (name, value) values ('note', 'kept')`
  const file = join(folder, 'before.backup')
  const name = own.at(-1)!.name

  const looked = upgrade(url, '--look')
  expect(looked).toEqual({ status: 0, said: expect.stringContaining(name) })
  expect((await planUpgrade(sql)).pending).toEqual([name])
  expect(existsSync(file)).toBe(false)

  expect(upgrade(url, file)).toEqual({ status: 0, said: expect.stringContaining('applied 1 migrations') })
  expect(await migrate(sql)).toEqual([])
  expect(await sql`select value from settings where name = 'note'`).toEqual([{ value: 'kept' }])
  expect(upgrade(url, join(folder, 'again.backup')).said).toContain('has the schema of this release')
  expect(existsSync(join(folder, 'again.backup'))).toBe(false)
  await sql.end()

  const before = await freshDatabase()
  const { migrated } = await restore(before, file, { areJournalsKept: true })
  expect(migrated).toEqual([name])
})

it('applies migrations that only add while servers are connected, and others only once all have stopped', async () => {
  const { url, sql } = await database(own)
  const server = connect(url, { as: 'requests', max: 1 })
  await server`select 1`
  const connected = [{ address: '127.0.0.1', connections: 1 }]
  expect(await planUpgrade(sql, [...own, adding, breaking])).toEqual({
    pending: [adding.name, breaking.name],
    breaking: [breaking.name],
    connected,
  })
  await expect(sql.begin((tx) => migrateIn(tx, [...own, adding, breaking]))).rejects.toThrow(
    'older code must not go on after 9999-takes.sql, and processes of the market are connected (1 connection from 127.0.0.1)',
  )
  expect((await planUpgrade(sql, [...own, adding])).connected).toEqual(connected)
  expect(await sql.begin((tx) => migrateIn(tx, [...own, adding]))).toEqual([adding.name])
  await server.end()
  expect(await sql.begin((tx) => migrateIn(tx, [...own, adding, breaking]))).toEqual([breaking.name])
  await sql.end()
})

it('touches no database that is empty, or newer than this release', async () => {
  const url = await freshDatabase()
  expect(upgrade(url, join(folder, 'none.backup'))).toEqual({
    status: 1,
    said: expect.stringContaining('the database is empty'),
  })
  const newer = await database([...own, breaking])
  expect(upgrade(newer.url, '--look')).toEqual({
    status: 1,
    said: expect.stringContaining('which only code from 9999 on may use'),
  })
  expect(upgrade(newer.url)).toEqual({ status: 1, said: expect.stringContaining('expected one file') })
  await newer.sql.end()
})
