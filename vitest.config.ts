import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { COMPILED } from './scripts/compiled.ts'
import { listedFiles } from './scripts/listed-files.ts'
import { ON_BITCOIND } from './scripts/suites/on-bitcoind.ts'

// For the processes that suites start.
process.env.NODE_COMPILE_CACHE ??= COMPILED

const onBitcoind = process.env.ORDBOOK_TEST_NODE === 'bitcoind'

/**
 * The suites of `npm test`: one for each kind of trade, attack, failure and page. Together with the checks and unit tests they take
 * about five minutes on two idle cores; `.ci/run` prints what each suite took.
 */
const QUICK = listedFiles([
  'devnet/test/chain.test.ts',
  'e2e/purchases/crash.test.ts',
  'e2e/escrows/forms.test.ts',
  'e2e/purchases/hostile.test.ts',
  'e2e/listings/lifecycle.test.ts',
  'e2e/lying-market/lying-market.test.ts',
  'e2e/purchases/money.test.ts',
  'e2e/offers/checks.test.ts',
  'e2e/offers/offers.test.ts',
  'e2e/purchases/race.test.ts',
  'e2e/settlements/reorg.test.ts',
  'e2e/signer/policy.test.ts',
  'e2e/proposals/swaps.test.ts',
  'e2e/purchases/trade.test.ts',
  'server/http/test/answers.test.ts',
  'server/db/test/check-sql.test.ts',
  'server/db/test/database.test.ts',
  'server/http/test/errors.test.ts',
  'server/market/test/escrow-form.test.ts',
  'server/http/test/keyed-calls.test.ts',
  'server/db/test/leases.test.ts',
  'server/http/test/live-events.test.ts',
  'server/market/test/orders.test.ts',
  'server/app/test/reads.test.ts',
  'server/http/test/reference.test.ts',
  'server/db/test/schema-files.test.ts',
  'server/db/test/schema.test.ts',
  'server/market/test/settlement-kinds.test.ts',
  'server/market/test/sign-in-forms.test.ts',
])

const effortIsQuick = process.env.ORDBOOK_TEST_EFFORT === 'quick'

/** `.ci/run` has run these files in `npm test`, with the same sample sizes. */
const DONE_BY_QUICK = effortIsQuick && !onBitcoind ? QUICK : []

/** Long tests that only `.ci/full` runs, in its suite `thorough`. */
const ONLY_THOROUGH = listedFiles([
  'e2e/escrows/crash.test.ts',
  'e2e/hostile-previews/neighbours.test.ts',
  'e2e/indexer/hostile-coins.test.ts',
  'e2e/indexer/stop-in-catch-up.test.ts',
  'e2e/lying-market/beliefs.test.ts',
  'e2e/lying-market/command.test.ts',
  'e2e/lying-market/offers-command.test.ts',
  'e2e/lying-market/swap-command.test.ts',
  'e2e/offers/crash.test.ts',
  'e2e/operations/restored-cancels.test.ts',
  'e2e/operations/slow-readers.test.ts',
  'e2e/start/start-interrupted.test.ts',
  'e2e/purchases/crash-everywhere.test.ts',
  'e2e/purchases/lost-answers.test.ts',
  'e2e/purchases/soak.test.ts',
  'e2e/settlements/attack-costs.test.ts',
  'e2e/settlements/budget-property.test.ts',
  'e2e/settlements/tail-demand.test.ts',
])

/** Files that `.ci/run` runs on bitcoind only, and long ones. */
const NOT_ON_DEVNET =
  effortIsQuick && !onBitcoind
    ? [...ON_BITCOIND.map((path) => (path.endsWith('.ts') ? path : `${path}/**`)), ...ONLY_THOROUGH]
    : []

const PREVIEWS = listedFiles(['e2e/previews/*.test.ts', 'e2e/hostile-previews/**/*.test.ts'])

/** Suites that take minutes: they begin first, so that none is left running alone at the end. */
const LONG = listedFiles([
  'e2e/operations/slow-readers.test.ts',
  'e2e/purchases/lost-answers.test.ts',
  'e2e/escrows/crash.test.ts',
  'e2e/signer/fuzz.test.ts',
  'e2e/offers/crash.test.ts',
  'e2e/operations/leader.test.ts',
  'e2e/purchases/crash-everywhere.test.ts',
  'e2e/lying-market/lying-market.test.ts',
  'e2e/red-team/red-team.test.ts',
  'e2e/start/start.test.ts',
  'e2e/start/start-interrupted.test.ts',
  'e2e/indexer/random-chain.test.ts',
])

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((each) => moduleId.endsWith(`/${each}`))
      return at < 0 ? LONG.length : at
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

/**
 * Projects with the same number of workers share a `groupOrder`, as Vitest requires; groups run one after the other. CONTRIBUTING.md lists
 * what each project tests.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{*,server/*}/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          testTimeout: 60_000,
          isolate: false,
          maxWorkers: 2,
        },
      },
      {
        // Files of `contract` and `e2e`, with fewer samples (`sampled` in e2e/support/effort.ts).
        test: {
          name: 'quick',
          include: QUICK,
          globalSetup: ['e2e/support/postgres.ts', 'e2e/support/compiled.ts', 'web/test/support/build.ts'],
          setupFiles: ['e2e/support/served-document.ts'],
          env: { ORDBOOK_TEST_EFFORT: 'quick' },
          testTimeout: 300_000,
          hookTimeout: 120_000,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'contract',
          include: ['server/*/test/**/*.test.ts'],
          exclude: DONE_BY_QUICK,
          globalSetup: ['e2e/support/postgres.ts', 'web/test/support/build.ts'],
          setupFiles: ['e2e/support/served-document.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts', 'devnet/test/**/*.test.ts'],
          exclude: [
            'e2e/chaos/**',
            'e2e/clients/**',
            'e2e/distribution/**',
            'e2e/scale/**',
            'e2e/schemathesis/**',
            'e2e/upgrades/**',
            'e2e/wallets/**',
            ...PREVIEWS,
            ...DONE_BY_QUICK,
            ...NOT_ON_DEVNET,
            ...(onBitcoind ? [] : ['e2e/bitcoind/**', 'e2e/red-team/**']),
            // scripts/suites/electrum installs ElectrumX.
            ...(process.env.ORDBOOK_TEST_ELECTRUMX ? [] : ['e2e/indexer/electrumx.test.ts']),
          ],
          globalSetup: ['e2e/support/postgres.ts', 'e2e/support/compiled.ts'],
          setupFiles: ['e2e/support/served-document.ts'],
          testTimeout: process.env.ORDBOOK_TEST_THOROUGH ? 3_600_000 : 600_000,
          hookTimeout: 120_000,
          // Tests often wait: two workers would leave two cores idle for two fifths of the time.
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['e2e/chaos/**/*.test.ts'],
          globalSetup: ['e2e/support/postgres.ts', 'e2e/support/compiled.ts'],
          testTimeout: process.env.ORDBOOK_TEST_THOROUGH ? 7_200_000 : 300_000,
          hookTimeout: 180_000,
          maxWorkers: 1,
        },
      },
      {
        // Servers on a replica and behind a pooler, which scripts/suites/scale installs.
        test: {
          name: 'scale',
          include: ['e2e/scale/**/*.test.ts'],
          globalSetup: ['e2e/support/postgres.ts', 'e2e/support/compiled.ts'],
          testTimeout: 300_000,
          hookTimeout: 180_000,
          maxWorkers: 1,
        },
      },
      {
        // Schemathesis, which the developer installs.
        test: {
          name: 'schemathesis',
          include: ['e2e/schemathesis/**/*.test.ts'],
          globalSetup: ['e2e/support/postgres.ts', 'e2e/support/compiled.ts'],
          testTimeout: 7_200_000,
          hookTimeout: 600_000,
        },
      },
      {
        // Markets of older versions, built from their commits, that are upgraded to this one.
        test: {
          name: 'upgrades',
          include: ['e2e/upgrades/**/*.test.ts'],
          globalSetup: ['e2e/support/postgres.ts'],
          testTimeout: 600_000,
          hookTimeout: 180_000,
          maxWorkers: 1,
        },
      },
      {
        // The renderer of previews, which needs a browser.
        test: {
          name: 'previews',
          include: PREVIEWS,
          exclude: effortIsQuick ? ONLY_THOROUGH : [],
          globalSetup: ['e2e/support/postgres.ts', 'e2e/support/compiled.ts'],
          setupFiles: ['e2e/support/served-document.ts'],
          testTimeout: process.env.ORDBOOK_TEST_THOROUGH ? 3_600_000 : 600_000,
          hookTimeout: 120_000,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Other people's wallets, which scripts/suites/wallets fetches.
        test: {
          name: 'wallets',
          include: ['e2e/wallets/**/*.test.ts'],
          globalSetup: ['e2e/support/postgres.ts', 'e2e/support/compiled.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Clients generated from the served document, which scripts/suites/clients makes.
        test: {
          name: 'clients',
          include: ['e2e/clients/**/*.test.ts'],
          globalSetup: ['e2e/support/postgres.ts', 'e2e/support/compiled.ts'],
          testTimeout: 150_000,
          hookTimeout: 120_000,
        },
      },
      {
        // The market as operators install it, which scripts/suites/distribution prepares.
        test: {
          name: 'distribution',
          include: ['e2e/distribution/**/*.test.ts'],
          globalSetup: ['e2e/support/postgres.ts'],
          testTimeout: 240_000,
          hookTimeout: 180_000,
          maxWorkers: 1,
        },
      },
      {
        // The packages as others install them, which scripts/suites/packages builds.
        test: {
          name: 'packages',
          include: ['sdk/test/**/*.test.ts', 'cli/test/**/*.test.ts'],
          globalSetup: ['e2e/support/postgres.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['web/test/**/*.test.ts'],
          globalSetup: ['e2e/support/postgres.ts', 'web/test/support/build.ts'],
          testTimeout: 600_000,
          hookTimeout: 120_000,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
