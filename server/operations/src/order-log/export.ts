import { connectForTools, type Queryable } from '@ordbook/db/driver/connect.ts'
import { findIdentity } from '@ordbook/db/schema/identity.ts'
import { assertMigrated } from '@ordbook/db/schema/migrate.ts'
import { ConfigError } from '@ordbook/db/settings/config.ts'
import { type Write, writeAtomically } from '../backup/atomic-file.ts'
import { beginReading, commit } from '../backup/queries.ts'
import { canonical, FORMAT, hashOf, lineOf, startOf, VERSION } from './chain.ts'
import { countUnsealed, listLogged } from './queries.ts'
import type { Header, Summary } from './read.ts'

export interface ExportReport extends Summary {
  /** Number of omitted changes, which have no position yet. */
  unsealed: number
}

/** Changes read per statement. */
const ROWS = 1000

/**
 * Writes a snapshot of the order log to a new file, compressed if the name ends with `.gz`. The market can
 * keep trading. Throws ConfigError.
 */
export async function exportLog(databaseUrl: string, file: string, now: Date): Promise<ExportReport> {
  const connection = await connectForTools(databaseUrl, 'export')
  try {
    return await writeAtomically(file, { isCompressed: file.endsWith('.gz') }, (write) =>
      writeLines(connection.sql, write, now),
    )
  } finally {
    connection.destroy()
  }
}

async function writeLines(sql: Queryable, write: Write, now: Date): Promise<ExportReport> {
  await beginReading(sql)
  await assertMigrated(sql, { isCurrent: true })
  const market = await findIdentity(sql)
  if (!market) throw new ConfigError('This database does not belong to a market yet. Start the server once.')
  const header: Header = {
    format: FORMAT,
    version: VERSION,
    network: market.chain,
    market: market.marketKey,
    exportedAt: now.toISOString(),
  }
  const first = canonical(header)
  await write(`${first}\n`)
  let changes = 0
  let head = startOf(market.chain)
  for await (const batch of readChanges(sql)) {
    let text = ''
    for (const change of batch) {
      const line = lineOf(++changes, head, change)
      head = hashOf(line)
      text += `${line}\n`
    }
    await write(text)
  }
  await write(`${canonical({ changes, head, header: hashOf(first) })}\n`)
  const unsealed = await countUnsealed(sql)
  await commit(sql)
  return { header, changes, head, unsealed }
}

async function* readChanges(sql: Queryable): AsyncGenerator<object[]> {
  for (let last = 0; ; ) {
    const rows = await listLogged(sql, last, ROWS)
    if (rows.length === 0) return
    last = rows.at(-1)!.position
    yield rows.map(({ change }) => change)
  }
}
