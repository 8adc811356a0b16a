import { readConfig, variables as serverVariables } from '@ordbook/db/settings/config.ts'
import { readRendererConfig, variables as rendererVariables } from '@ordbook/previews/config.ts'
import { readSettingsFile, SETTINGS_FILE } from '@ordbook/process/settings-file.ts'
import { ConfigError, type Variable } from '@ordbook/process/variables.ts'
import { variables as keyVariables, readKeyConfig } from '@ordbook/signer-host/config.ts'
import { exitWithUsage, readCommand } from '../command.ts'
import { textOf, withoutPasswords } from '../settings/text.ts'

/** `ordbook market config`: prints the settings of a program. */
const USAGE = `usage: ordbook market config [server|signer|guardian|previews] [--json]

Print the settings of a program, by default of the server, and where each comes from: the environment, the file of SETTINGS_FILE, or the
default. Passwords and tokens are hidden. Exits with 1 and the problems if settings are invalid.
--json prints one setting per line`

type Table = Readonly<Record<string, Variable<unknown>>>
const PROGRAMS: Readonly<
  Record<string, { table: Table; read: (environment: NodeJS.ProcessEnv) => unknown }>
> = {
  server: { table: serverVariables, read: readConfig },
  signer: { table: keyVariables, read: readKeyConfig },
  guardian: { table: keyVariables, read: readKeyConfig },
  previews: { table: rendererVariables, read: readRendererConfig },
}

const { positionals, values } = readCommand(USAGE, {
  allowPositionals: true,
  options: { json: { type: 'boolean' } },
})
const [name = 'server', ...more] = positionals
const program = Object.hasOwn(PROGRAMS, name)
  ? PROGRAMS[name]!
  : exitWithUsage(USAGE, `${name}: unknown program`)
if (more.length > 0) exitWithUsage(USAGE, 'expected one program')
try {
  program.read(process.env)
  print(program.table)
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

function print(table: Table): void {
  const path = process.env[SETTINGS_FILE]
  const file = path ? readSettingsFile(path, Object.keys(table), []) : new Map<string, string>()
  const width = Math.max(...Object.keys(table).map((each) => each.length))
  for (const [setting, { fallback, isSecret }] of Object.entries(table)) {
    const text = file.get(setting) ?? (process.env[setting] || null)
    const source = file.has(setting) ? path! : text === null ? 'default' : 'environment'
    const found = text ?? textOf(fallback)
    const value = found !== null && isSecret ? '(hidden)' : found && withoutPasswords(found)
    if (values.json) console.log(JSON.stringify({ setting, value, source }))
    else console.log(`${setting.padEnd(width)}  ${value ?? 'none'}  (${source})`)
  }
}
