import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'

/** Runs `work` on a new, migrated database, which is deleted afterwards. */
export async function withSchema(work: (sql: Sql, databaseUrl: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'ordbook-schema-'))
  chmodSync(directory, 0o755)
  const postgres = await startEmbedded(directory)
  try {
    const sql = connect(postgres.url, { max: 1 })
    try {
      await migrate(sql)
      await work(sql, postgres.url)
    } finally {
      await sql.end()
    }
  } finally {
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
