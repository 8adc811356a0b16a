import { findEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { ConfigError, readConfig } from '@ordbook/db/settings/config.ts'
import { examine } from '@ordbook/operations/doctor/examine.ts'
import type { Finding, State } from '@ordbook/operations/doctor/finding.ts'
import { examineMirror } from '@ordbook/operations/doctor/mirror.ts'
import { invalidSettings } from '@ordbook/operations/doctor/settings.ts'
import { exitWithUsage, readCommand } from '../command.ts'

/** `ordbook market doctor`: checks an installation. The server may be running. */
const USAGE = `usage: ordbook market doctor [--json] [--mirror FOLDER [--of URL]]

Check settings, database, node, ord server, keys, disk and processes, and suggest fixes. Changes nothing. Exits with 1 if anything is wrong.
--json prints one finding per line

  --mirror FOLDER  Check the mirror in this folder instead: the age of its last signed change, whether it is running, and whether the market
                   signed two histories
  --of URL         Compare the mirror with the market at this address`
const { json, mirror, of } = readCommand(USAGE, {
  options: { json: { type: 'boolean' }, mirror: { type: 'string' }, of: { type: 'string' } },
}).values
if (of !== undefined && mirror === undefined) exitWithUsage(USAGE, '--of requires --mirror FOLDER')
if (of !== undefined && !/^https?:$/.test(URL.parse(of)?.protocol ?? ''))
  exitWithUsage(USAGE, `--of: found ${of}, expected the base URL of a market, such as https://market.example`)
const SIGNS: Record<State, string> = { ok: 'ok     ', warning: 'WARNING', fault: 'FAULT  ' }

function print(finding: Finding): void {
  const { about, state, found, mend, runbook } = finding
  if (json) console.log(JSON.stringify(finding))
  else
    console.log(
      [`${SIGNS[state]} ${about}: ${found}`, mend, runbook]
        .filter((line) => line !== null)
        .join('\n        '),
    )
  if (state === 'fault') process.exitCode = 1
}

try {
  if (mirror !== undefined) (await examineMirror(mirror, of ?? null, new Date())).forEach(print)
  else {
    const config = readConfig(process.env)
    const databaseUrl = config.databaseDirectUrl ?? config.databaseUrl ?? findEmbedded(config.dataDir)
    for await (const finding of examine(config, databaseUrl)) print(finding)
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  print(invalidSettings(error.message))
}
