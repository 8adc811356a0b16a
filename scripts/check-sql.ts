import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@ordbook/server/db/connect.ts'
import { startEmbedded } from '@ordbook/server/db/embedded.ts'
import { migrate } from '@ordbook/server/db/migrate.ts'
import { checkSql } from './check-sql/check.ts'
import { NEVER_NULL } from './check-sql/never-null.ts'

/** Describes every SQL statement of the sources on a migrated PostgreSQL of its own. */
const directory = mkdtempSync(join(tmpdir(), 'ordbook-check-sql-'))
chmodSync(directory, 0o755)
const postgres = await startEmbedded(directory)
try {
  const sql = connect(postgres.url, { max: 1 })
  await migrate(sql)
  await sql.end()
  const { problems, neverNull, statements, variants } = await checkSql(
    postgres.url,
    (path) => /^(server\/src|scripts)\//.test(path) && !path.endsWith('.test.ts'),
  )
  for (const entry of Object.keys(NEVER_NULL))
    if (!neverNull.has(entry)) problems.push(`scripts/check-sql/never-null.ts: no statement needs ${entry}`)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  else console.log(`sql: ${statements} statements in ${variants} variants are what their types say`)
} finally {
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}
