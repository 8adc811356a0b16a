import { statSync } from 'node:fs'
import { loadCollections } from '@ordbook/server/collections/load.ts'
import { readConfig } from '@ordbook/server/config.ts'
import { connect } from '@ordbook/server/db/connect.ts'
import { startEmbedded } from '@ordbook/server/db/embedded.ts'
import { migrate } from '@ordbook/server/db/migrate.ts'

/**
 * `npm run import -- DIRECTORY`: imports every collection below a folder in the registry format. Works beside a running
 * server and without one. Exits with 2 when something was refused or left out; the rest is in.
 */
const [directory] = process.argv.slice(2)
if (!directory || !statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
  console.error(
    'usage: npm run import -- DIRECTORY   (a folder of folders with meta.json and inscriptions.json)',
  )
  process.exit(1)
}
const config = readConfig(process.env)
const postgres = config.databaseUrl ? null : await startEmbedded(config.dataDir)
const sql = connect(config.databaseUrl ?? postgres!.url)
try {
  await migrate(sql)
  const started = Date.now()
  let shown = 0
  const report = await loadCollections(sql, directory, {
    now: new Date(),
    onProgress: (done, total, items) => {
      if (Date.now() - shown < 500 && done < total) return
      shown = Date.now()
      const bar = '#'.repeat(Math.round((done / total) * 30)).padEnd(30, '.')
      process.stderr.write(`\r[${bar}] ${done}/${total} collections, ${items} inscriptions`)
    },
  })
  process.stderr.write('\n')
  for (const { file, position, problem } of report.problems)
    console.log(`${file}${position && ` ${position}`}: ${problem}`)
  const seconds = (Date.now() - started) / 1000
  console.log(
    `imported ${report.collections} collections with ${report.items} inscriptions in ${seconds.toFixed(1)} s; ` +
      `${report.problems.length} problems, nothing taken of ${report.refused.length} folders${report.refused.length > 0 ? ` (${report.refused.join(', ')})` : ''}`,
  )
  process.exitCode = report.problems.length > 0 ? 2 : 0
} finally {
  await sql.end()
  if (postgres && !postgres.found) await postgres.stop()
}
