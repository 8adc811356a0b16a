import { connectForTools } from '@ordbook/db/driver/connect.ts'
import { findIdentity } from '@ordbook/db/schema/identity.ts'
import { checkSchema } from '@ordbook/db/schema/migrate.ts'
import { ConfigError } from '@ordbook/db/settings/config.ts'
import type { Header } from './archive.ts'
import { writeAtomically } from './atomic-file.ts'
import { FrameWriter } from './frames.ts'
import { beginReading, commit, copyOutOf, listApplied, listSequences, listTables } from './queries.ts'

export interface BackupReport {
  tables: number
  rows: number
}

/**
 * Writes a consistent snapshot of the database to a new file, without the keys. The market can keep trading.
 * Throws ConfigError if the file exists.
 */
export async function backUp(databaseUrl: string, file: string, now: Date): Promise<BackupReport> {
  return writeAtomically(file, { isCompressed: true }, (write) =>
    writeAll(databaseUrl, new FrameWriter(write), now),
  )
}

async function writeAll(databaseUrl: string, frames: FrameWriter, now: Date): Promise<BackupReport> {
  const connection = await connectForTools(databaseUrl, 'backup')
  const { sql } = connection
  try {
    await beginReading(sql)
    if ((await checkSchema(sql)).size === 0)
      throw new ConfigError('The database is empty. There is nothing to back up.')
    const header: Header = {
      format: 'ordbook backup',
      version: 1,
      madeAt: now.toISOString(),
      chain: (await findIdentity(sql))?.chain ?? null,
      migrations: await listApplied(sql),
    }
    await frames.put('header', header)
    const tables = await listTables(sql)
    let total = 0
    for (const table of tables) {
      await frames.put('table', table)
      const copy = connection.copyOut(copyOutOf(table))
      for await (const piece of copy) await frames.put('rows', piece as Buffer)
      const rows = copy.rowCount ?? 0
      await frames.put('done', { rows })
      total += rows
    }
    await frames.put('sequences', await listSequences(sql))
    await frames.end()
    await commit(sql)
    return { tables: tables.length, rows: total }
  } finally {
    connection.destroy()
  }
}
