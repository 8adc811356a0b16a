import { exitWithUsage } from './command.ts'
import { run } from './run.ts'
import { ON_BITCOIND } from './suites/on-bitcoind.ts'

interface Step {
  command: readonly string[]
  env?: NodeJS.ProcessEnv
}

const BITCOIND = { ORDBOOK_TEST_NODE: 'bitcoind' }
const THOROUGH = { ORDBOOK_TEST_THOROUGH: '1' }
const vitest = (projects: string, files: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Step => ({
  command: ['vitest', 'run', ...projects.split(' ').flatMap((name) => ['--project', name]), ...files],
  env,
})
/** A suite whose script first installs or builds its subject. */
const script = (name: string, ...args: string[]): Step => ({
  command: ['bash', `scripts/suites/${name}`, ...args],
})

/** Suites that are not part of `npm test`. The arguments after the names are passed to every step. */
const SUITES: Readonly<Record<string, readonly Step[]>> = {
  browser: [vitest('browser previews')],
  chaos: [vitest('chaos')],
  scale: [script('scale', '--project', 'scale')],
  upgrades: [script('scale', '--project', 'upgrades')],
  bitcoind: [vitest('e2e', ON_BITCOIND, BITCOIND)],
  stranding: [
    vitest('e2e', ['e2e/escrows/stranding.test.ts'], {
      STRANDING_STEPS: process.env.STRANDING_STEPS ?? '10000',
      ...BITCOIND,
    }),
  ],
  'red-team': [vitest('e2e', ['e2e/red-team'], { ...BITCOIND, ...THOROUGH })],
  ord: [script('ord')],
  electrum: [script('electrum')],
  wallets: [script('wallets')],
  clients: [script('clients')],
  packages: [script('packages')],
  image: [script('image')],
  distribution: [script('distribution')],
  thorough: [
    vitest('e2e', [], THOROUGH),
    vitest('e2e', [], { ...BITCOIND, ...THOROUGH }),
    vitest('browser previews', [], THOROUGH),
  ],
  schemathesis: [vitest('schemathesis')],
}
const USAGE = `usage: npm run test:suite -- NAME... [ARGUMENTS]

Run suites one after another, up to the first failure: ${Object.keys(SUITES).join(', ')}`

const args = process.argv.slice(2)
const end = args.findIndex((word) => !Object.hasOwn(SUITES, word))
const names = end < 0 ? args : args.slice(0, end)
if (args[0] === '--help' || args[0] === '-h') console.log(USAGE)
else if (names.length === 0) exitWithUsage(USAGE, `${args[0] ?? 'nothing'}: not a suite`)
for (const { command, env } of names.flatMap((name) => SUITES[name]!)) {
  process.exitCode = run([...command, ...args.slice(names.length)], env)
  if (process.exitCode !== 0) break
}
