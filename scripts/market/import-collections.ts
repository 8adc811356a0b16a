import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { digestLines, groupLines, reportLines } from '@ordbook/market/collections/import-report.ts'
import { type LoadProgress, type LoadReport, loadCollections } from '@ordbook/market/collections/load.ts'
import { whyNotRegistry } from '@ordbook/market/collections/read-registry.ts'
import { exitWithUsage, readCommand } from '../command.ts'
import { progressBar } from './progress-bar.ts'
import { withDatabase } from './with-database.ts'

/** `ordbook market import DIRECTORY`: imports every collection of a folder in the registry format, with or without a running server. */
const USAGE = `usage: ordbook market import [--dry-run] [--report FILE] DIRECTORY

Import a folder of folders with meta.json and inscriptions.json

  --dry-run       Read and report only, without a database
  --report FILE   Write every problem to FILE instead of a temporary file

Exits with 0 if everything is imported, with 2 if something was skipped, and with 1 if the command failed`

const { values, positionals } = readCommand(USAGE, {
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false }, report: { type: 'string' } },
})
const [directory, ...more] = positionals
if (directory === undefined || more.length > 0) exitWithUsage(USAGE, 'expected one folder')
const reason = whyNotRegistry(directory)
if (reason) exitWithUsage(USAGE, reason)

const started = Date.now()
const seconds = () => (Date.now() - started) / 1000

if (values['dry-run']) print(await loadCollections(null, directory, { now: new Date() }))
else
  await withDatabase(async (databaseUrl) => {
    const sql = connect(databaseUrl)
    try {
      await migrate(sql)
      print(await loadCollections(sql, directory, { now: new Date(), onProgress: progress() }))
    } finally {
      await sql.end()
    }
  })

function progress(): (progress: LoadProgress) => void {
  const bar = progressBar('MB')
  const megabytes = (bytes: number) => Math.ceil(bytes / 1e6)
  return ({ bytes, totalBytes, collections, items }) =>
    bar(
      megabytes(bytes),
      megabytes(totalBytes),
      `: ${collections} collections, ${items} inscriptions, ${Math.round(items / seconds())}/s`,
    )
}

/** Prints the problems by kind, the digest and the totals. Writes the report file and sets the exit code. */
function print({ collections, items, changed, problems, report, stored }: LoadReport): void {
  for (const line of [...groupLines(problems), ...digestLines(report)]) console.log(line)
  if (stored) {
    const kept = stored.kept > 0 ? `, ${stored.kept} of them kept for a live order` : ''
    console.log(`database: ${stored.items} inscriptions in these collections${kept}`)
  }
  if (problems.length > 0) {
    const file = values.report ?? join(mkdtempSync(join(tmpdir(), 'ordbook-import-')), 'report.txt')
    try {
      writeFileSync(file, `${reportLines(report).join('\n')}\n`)
      console.log(`every problem: ${file}`)
    } catch (error) {
      console.error(
        `The report cannot be written: ${(error as Error).message}. Name another file with --report.`,
      )
    }
  }
  const verb = stored ? 'imported' : 'dry run: would import'
  console.log(
    `${verb} ${collections} collections with ${items} inscriptions${stored ? ` (${changed} new or changed)` : ''} in ${seconds().toFixed(1)} s`,
  )
  if (stored && stored.unknown > 0)
    console.log(`The index does not know ${stored.unknown} of these ${stored.items} inscriptions (yet).`)
  process.exitCode = report.hasSkipped() ? 2 : 0
}
