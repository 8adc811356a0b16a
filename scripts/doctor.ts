import { ConfigError, readConfig } from '@ordbook/server/config.ts'
import { examine } from '@ordbook/server/doctor/examine.ts'
import type { State } from '@ordbook/server/doctor/finding.ts'
import { readCommand } from './command.ts'
import { withDatabase } from './with-database.ts'

/** `npm run doctor`: examines an installation, beside a running server or without one. */
const USAGE = `usage: npm run doctor [-- --json]

examines settings, database, node, ord server, keys, disk and processes, and says how to mend each fault. It changes nothing. Ends with code 1
where there is a fault; --json prints one finding a line`
const { json } = readCommand(USAGE, { options: { json: { type: 'boolean' } } }).values
const SIGNS: Record<State, string> = { ok: 'ok     ', warning: 'WARNING', fault: 'FAULT  ' }

try {
  const config = readConfig(process.env)
  await withDatabase(async (databaseUrl) => {
    for await (const finding of examine(config, databaseUrl)) {
      const { about, state, found, mend } = finding
      if (json) console.log(JSON.stringify(finding))
      else console.log(`${SIGNS[state]} ${about}: ${found}${mend === null ? '' : `\n        ${mend}`}`)
      if (state === 'fault') process.exitCode = 1
    }
  })
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
