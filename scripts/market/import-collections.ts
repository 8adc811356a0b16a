import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { exitWithUsage, readCommand } from '../command.ts'
import { progressBar } from './progress-bar.ts'
import { withDatabase } from './with-database.ts'

/**
 * `ordbook market import DIRECTORY`: imports every collection of a folder in the registry format. Exits with 2 if something was rejected or
 * skipped; the rest is imported.
 */
const USAGE =
  'usage: ordbook market import DIRECTORY   (a folder of folders with meta.json and inscriptions.json)'
const [directory, ...more] = readCommand(USAGE, { allowPositionals: true }).positionals
if (directory === undefined || more.length > 0) exitWithUsage(USAGE, 'expected one folder')
if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
  exitWithUsage(USAGE, `${directory} is not a folder`)
if (existsSync(join(directory, 'meta.json')))
  exitWithUsage(USAGE, `${directory} is a single collection. Use its parent folder`)
await withDatabase(async (databaseUrl) => {
  const sql = connect(databaseUrl)
  try {
    await migrate(sql)
    const started = Date.now()
    const bar = progressBar('MB')
    const megabytes = (bytes: number) => Math.ceil(bytes / 1e6)
    const report = await loadCollections(sql, directory, {
      now: new Date(),
      onProgress: ({ bytes, totalBytes, collections, items }) =>
        bar(
          megabytes(bytes),
          megabytes(totalBytes),
          `: ${collections} collections, ${items} inscriptions, ${Math.round(items / ((Date.now() - started) / 1000))}/s`,
        ),
    })
    for (const { file, position, problem } of report.problems)
      console.log(`${file}${position && ` ${position}`}: ${problem}`)
    const seconds = (Date.now() - started) / 1000
    console.log(
      `imported ${report.collections} collections with ${report.items} inscriptions (${report.changed} new or changed) in ${seconds.toFixed(1)} s; ` +
        `${report.problems.length} problems, ${report.refused.length} folders skipped${report.refused.length > 0 ? ` (${report.refused.join(', ')})` : ''}`,
    )
    process.exitCode = report.problems.length > 0 ? 2 : 0
  } finally {
    await sql.end()
  }
})
