import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type Connection, connectForTools, type Queryable } from '@ordbook/db/driver/connect.ts'
import { migrateIn } from '@ordbook/db/schema/migrate.ts'
import { type Migration, readMigrations } from '@ordbook/db/schema/migrations.ts'
import { ConfigError } from '@ordbook/db/settings/config.ts'
import { deleteCheckpoints } from '@ordbook/market/keys/checkpoint-queries.ts'
import { Header, read, Sequences, TableDone, TableHead } from './archive.ts'
import { damagedArchive, type Frame, type FrameKind, readFrames } from './frames.ts'
import {
  analyze,
  begin,
  commit,
  copyInto,
  listAllTables,
  listTables,
  loosen,
  markRestored,
  setSequence,
  type Table,
  tighten,
} from './queries.ts'

export interface RestoreReport {
  madeAt: string
  tables: number
  rows: number
  /** Migrations applied after the copy, because the archive is older. */
  migrated: string[]
}

/**
 * Restores an archive into an empty database, in one transaction. Without the keys' journals
 * (`areJournalsKept`), cancels since the backup are unknown, so all orders end at the next start
 * (journal-recovery.ts). Throws ConfigError if the archive is damaged or newer, or the database is not empty.
 */
export async function restore(
  databaseUrl: string,
  file: string,
  { areJournalsKept }: { areJournalsKept: boolean },
): Promise<RestoreReport> {
  if (!existsSync(file)) throw new ConfigError(`${file}: no such file`)
  const connection = await connectForTools(databaseUrl, 'restore')
  const compressed = createReadStream(file)
  const archive = createGunzip()
  // The frame reader handles the error. Without a listener, the event would end the process.
  archive.on('error', () => {})
  compressed.on('error', (error) => archive.destroy(error))
  compressed.pipe(archive)
  try {
    const report = await restoreIn(connection, readFrames(archive), areJournalsKept)
    await analyze(connection.sql)
    return report
  } finally {
    connection.destroy()
    compressed.destroy()
    archive.destroy()
  }
}

async function restoreIn(
  connection: Connection,
  frames: AsyncGenerator<Frame>,
  areJournalsKept: boolean,
): Promise<RestoreReport> {
  const { sql } = connection
  const header = read(Header, await next(frames, 'header'), 'header')
  const all = readMigrations()
  const archived = migrationsOf(header, all)
  await begin(sql)
  await assertEmpty(sql)
  await migrateIn(sql, archived)
  const tables = await listTables(sql)
  const keys = await loosen(sql, tables)
  let rows = 0
  for (const table of tables) rows += await readTable(connection, frames, table)
  for (const { name, last } of read(Sequences, await next(frames, 'sequences'), 'sequences'))
    await setSequence(sql, name, last)
  if (!(await frames.next()).done) throw damagedArchive('unexpected table')
  await tighten(sql, tables, keys)
  const migrated = await migrateIn(sql, all)
  if (!areJournalsKept) await deleteCheckpoints(sql)
  await markRestored(sql)
  await commit(sql)
  return { madeAt: header.madeAt, tables: tables.length, rows, migrated }
}

/** Returns the migrations of an archive. Throws ConfigError if this release does not include them. */
function migrationsOf({ migrations }: Header, all: readonly Migration[]): readonly Migration[] {
  for (const [i, { name, checksum }] of migrations.entries())
    if (all[i]?.name !== name || all[i]?.checksum !== checksum)
      throw new ConfigError(
        `this release does not include migration ${name} of the archive. Install the release that created the archive, or a newer one.`,
      )
  return all.slice(0, migrations.length)
}

async function assertEmpty(sql: Queryable): Promise<void> {
  const found = await listAllTables(sql)
  if (found.length > 0)
    throw new ConfigError(
      `The database is not empty: found the table ${found[0]}. Nothing was changed. Restore into a new database.`,
    )
}

/** Restores a table. Returns the number of rows. */
async function readTable(
  connection: Connection,
  frames: AsyncGenerator<Frame>,
  table: Table,
): Promise<number> {
  const head = read(TableHead, await next(frames, 'table'), 'table')
  if (head.name !== table.name || head.columns.join() !== table.columns.join())
    throw damagedArchive(`expected the table ${table.name} (${table.columns.join(', ')}), got ${head.name}`)
  const copy = connection.copyIn(copyInto(table))
  const copied = finished(copy)
  copied.catch(() => {})
  try {
    for (;;) {
      const { kind, body } = await nextFrame(frames)
      if (kind === 'done') {
        copy.end()
        await copied
        const { rows } = read(TableDone, body, 'rows')
        if (copy.rowCount !== rows)
          throw damagedArchive(`${table.name} has ${copy.rowCount} rows, not ${rows}`)
        return rows
      }
      if (kind !== 'rows') throw damagedArchive('unexpected frame')
      if (!copy.write(body)) await Promise.race([once(copy, 'drain'), copied])
    }
  } catch (error) {
    copy.destroy()
    throw error
  }
}

async function nextFrame(frames: AsyncGenerator<Frame>): Promise<Frame> {
  const { value, done } = await frames.next()
  if (done) throw damagedArchive('missing frames')
  return value
}

async function next(frames: AsyncGenerator<Frame>, expected: FrameKind): Promise<Buffer> {
  const { kind, body } = await nextFrame(frames)
  if (kind !== expected) throw damagedArchive('unexpected frame')
  return body
}
