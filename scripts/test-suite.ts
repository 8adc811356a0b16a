import { refuse } from './command.ts'
import { listedFiles } from './listed-files.ts'
import { run } from './run.ts'

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

/**
 * Files of `e2e` for a run on bitcoind: each kind of trade, tests that depend on a node's rules, and attacks. `thorough` runs all files.
 */
const ON_BITCOIND = listedFiles([
  'devnet/test/chain.test.ts',
  'e2e/bitcoind',
  'e2e/collection-offers/bids.test.ts',
  'e2e/escrows/escrows.test.ts',
  'e2e/escrows/forms.test.ts',
  'e2e/escrows/reorg.test.ts',
  'e2e/escrows/stranding.test.ts',
  'e2e/indexer/hostile-blocks.test.ts',
  'e2e/listings/bundles.test.ts',
  'e2e/listings/lifecycle.test.ts',
  'e2e/listings/split.test.ts',
  'e2e/offers/offers.test.ts',
  'e2e/operations/doctor.test.ts',
  'e2e/proposals/swaps.test.ts',
  'e2e/purchases/attacks.test.ts',
  'e2e/purchases/hostile.test.ts',
  'e2e/purchases/money.test.ts',
  'e2e/purchases/trade.test.ts',
  'e2e/red-team',
  'e2e/settlements/market-coins.test.ts',
  'e2e/settlements/node-policy.test.ts',
  'e2e/settlements/package-acceptance.test.ts',
  'e2e/settlements/reorg.test.ts',
  'e2e/signer/signer.test.ts',
])

/** The suites that are not part of `npm test`. The arguments that follow the names are passed to every step. */
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
  schemathesis: [{ command: ['node', 'e2e/support/schemathesis.ts'] }],
}
const USAGE = `usage: npm run test:suite -- NAME... [ARGUMENTS]

Run suites one after another, up to the first failure: ${Object.keys(SUITES).join(', ')}`

const args = process.argv.slice(2)
const end = args.findIndex((word) => !Object.hasOwn(SUITES, word))
const names = end < 0 ? args : args.slice(0, end)
if (args[0] === '--help' || args[0] === '-h') console.log(USAGE)
else if (names.length === 0) refuse(USAGE, `${args[0] ?? 'nothing'}: not a suite`)
for (const { command, env } of names.flatMap((name) => SUITES[name]!)) {
  process.exitCode = run([...command, ...args.slice(names.length)], env)
  if (process.exitCode !== 0) break
}
