import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@ordbook/app/server.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { freshDatabase, testConfig } from '../../support/market.ts'

/** Reads the chain of a node into another index, in large batches and without reorgs. Calls `use` with its database. */
export async function withSecondIndex(nodeUrl: string, use: (sql: Sql) => Promise<void>): Promise<void> {
  const databaseUrl = await freshDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'ordbook-second-'))
  const config = testConfig({ DATA_DIR: dataDir, ROLES: 'follower' })
  const server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: nodeUrl })
  const sql = connect(databaseUrl, { max: 1 })
  await server.sync()
  await use(sql)
  await sql.end()
  await server.close()
  rmSync(dataDir, { recursive: true, force: true })
}
