import { createInterface } from 'node:readline/promises'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { ConfigError, readConfig } from '@ordbook/db/settings/config.ts'
import { digestLines, groupLines, printable } from '@ordbook/market/collections/import-report.ts'
import { applyPlan } from '@ordbook/market/registry/apply.ts'
import { type Change, type Plan, planFollow } from '@ordbook/market/registry/plan.ts'
import { listChanges } from '@ordbook/market/registry/queries.ts'
import { openRegistry, type RegistrySource, registryOf } from '@ordbook/market/registry/source.ts'
import { exitWithUsage, readCommand } from '../command.ts'
import { adoptSources } from './adopter.ts'
import { findRunning } from './running.ts'
import { withDatabase } from './with-database.ts'

/** `ordbook market registry`: follows a registry of collections, with or without a running server. */
const USAGE = `usage: ordbook market registry follow [--yes] URL|DIRECTORY
       ordbook market registry history URL|DIRECTORY [SLUG]

follow    Print what changed in a registry since the last time, and apply it after confirmation
history   Print the changes that were applied

URL is a repository on GitHub, or the https URL of collections.json. DIRECTORY has collections.json, or a folder for each collection.

  --yes   Apply without confirmation

Exits with 0 if everything is applied, with 2 if something was skipped or not confirmed, and with 1 if the command failed`

const { values, positionals } = readCommand(USAGE, {
  allowPositionals: true,
  options: { yes: { type: 'boolean', default: false } },
})
const [verb, target, slug, ...more] = positionals
if ((verb !== 'follow' && verb !== 'history') || !target || more.length > 0 || (verb === 'follow' && slug))
  exitWithUsage(USAGE, 'expected follow or history, and a registry')

await withDatabase(async (databaseUrl) => {
  const sql = connect(databaseUrl)
  try {
    await migrate(sql)
    if (verb === 'follow') await follow(sql, await openRegistry(target))
    else await printHistory(sql, registryOf(target))
  } catch (error) {
    if (error instanceof ConfigError) throw error
    console.error(printable(error instanceof Error ? error.message : String(error)))
    process.exitCode = 1
  } finally {
    await sql.end()
  }
})

async function follow(sql: Sql, source: RegistrySource): Promise<void> {
  const plan = await planFollow(sql, source)
  printPlan(plan)
  if (plan.report.hasSkipped()) process.exitCode = 2
  if (plan.changes.length === 0) return
  if (!values.yes && !(await confirm())) {
    console.log('Nothing was applied. Add --yes to apply the changes.')
    process.exitCode = 2
    return
  }
  await adoptAll(sql, plan)
  const outcomes = await applyPlan(sql, source, plan, new Date())
  const skipped = outcomes.filter((outcome) => outcome.skipped !== null)
  for (const { change, skipped: reason } of skipped) say(`skipped ${change.slug}: ${reason}`)
  console.log(`${outcomes.length - skipped.length} changes applied, ${skipped.length} skipped`)
  if (skipped.length > 0) process.exitCode = 2
}

const SIGNS: Readonly<Record<Change['change'], string>> = {
  added: '+',
  changed: '~',
  renamed: '~',
  removed: '-',
  returned: '+',
}

function printPlan({ registry, changes, unchanged, report }: Plan): void {
  for (const { slug, change, details } of changes)
    say(`${SIGNS[change]} ${slug}: ${change}; ${details.join('; ')}`)
  for (const line of [...groupLines(report.problems), digestLines(report)[0]!.replace('folders', 'entries')])
    console.log(line)
  say(`${registry}: ${changes.length} changes, ${unchanged} unchanged`)
}

async function confirm(): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question('Apply these changes? [y/N] ')).trim())
  } finally {
    terminal.close()
  }
}

/** Adopts the parents and galleries that are new to an index that began at an ord server. */
async function adoptAll(sql: Sql, plan: Plan): Promise<void> {
  const config = readConfig(process.env)
  const rpcUrl = config.bitcoinRpcUrl ?? findRunning(config.dataDir)?.rpcUrl ?? null
  for (const { after } of plan.changes)
    if (after?.form === 'chain' && after.status === 'listed')
      await adoptSources({ config, sql, rpcUrl }, after.kind, after.sourceIds)
}

async function printHistory(sql: Sql, registry: string): Promise<void> {
  const changes = await listChanges(sql, registry, slug ?? null)
  for (const { slug, change, details, changedAt } of changes)
    say(`${changedAt.toISOString()} ${slug}: ${change}; ${details.join('; ')}`)
  if (changes.length === 0) say(`${registry} has no history.`)
}

function say(line: string): void {
  console.log(printable(line))
}
