import { exitWithUsage, readCommand } from './command.ts'
import { run } from './run.ts'

/** The checks, fastest first. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  biome: ['biome', 'check', '.'],
  types: ['tsc'],
  'web-types': ['tsc', '-p', 'web'],
  imports: ['node', 'scripts/imports/check.ts'],
  sizes: ['node', 'scripts/sizes/check.ts'],
  voice: ['node', 'scripts/voice/check.ts'],
  links: ['node', 'scripts/links/check.ts'],
  lock: ['node', 'scripts/lock/check.ts'],
  knip: ['knip'],
  sql: ['node', 'scripts/check-sql.ts'],
}

/** `npm run check`: runs all static checks, and stops at the first failure. */
const USAGE = `usage: npm run check [-- CHECK...]   (default: all of ${Object.keys(CHECKS).join(', ')})`
const { positionals } = readCommand(USAGE, { allowPositionals: true })
const unknown = positionals.filter((name) => !Object.hasOwn(CHECKS, name))
if (unknown.length > 0) exitWithUsage(USAGE, `${unknown.join(', ')}: unknown check`)
for (const [name, command] of Object.entries(CHECKS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  process.exitCode = run(command)
  if (process.exitCode !== 0) break
}
