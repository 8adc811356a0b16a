import { connect } from '@ordbook/db/driver/connect.ts'
import { assertAlone, describe } from '@ordbook/db/schema/connected.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { planUpgrade, type UpgradePlan } from '@ordbook/db/schema/upgrade.ts'
import { backUp } from '@ordbook/operations/backup/backup.ts'
import { exitWithUsage, readCommand } from '../command.ts'
import { withDatabase } from './with-database.ts'

/** `ordbook market upgrade FILE`: makes a backup, then migrates the database to the schema of this release. */
const USAGE = `usage: ordbook market upgrade FILE
       ordbook market upgrade --look

Back up the database to FILE, then apply the migrations of this release, all or none. Prints whether servers of the previous release can keep
running, and changes nothing while incompatible processes are connected. --look only prints the plan.`
const { positionals, values } = readCommand(USAGE, {
  allowPositionals: true,
  options: { look: { type: 'boolean' } },
})
const [file, ...more] = positionals
if (more.length > 0 || (file === undefined) === !values.look)
  exitWithUsage(USAGE, 'expected one file for the backup, or --look')

function printPlan({ pending, breaking, connected }: UpgradePlan): void {
  console.log(`${pending.length} migrations to apply: ${pending.join(', ')}`)
  if (breaking.length === 0)
    console.log(
      'Servers of the previous release can keep running. Upgrade, then restart one process after another.',
    )
  else console.log(`All processes must stop first because of ${breaking.join(', ')}.`)
  for (const each of connected) console.log(`connected: ${describe(each)}`)
}

await withDatabase(async (databaseUrl) => {
  const sql = connect(databaseUrl, { as: 'tools', max: 1 })
  try {
    const plan = await planUpgrade(sql)
    if (plan.pending.length === 0) return console.log('the database already has the schema of this release')
    printPlan(plan)
    if (file === undefined) return
    assertAlone(plan.breaking, plan.connected)
    const { tables, rows } = await backUp(databaseUrl, file, new Date())
    console.log(`${file}: ${rows} rows of ${tables} tables`)
    const applied = await migrate(sql)
    console.log(`applied ${applied.length} migrations`)
  } finally {
    await sql.end()
  }
})
