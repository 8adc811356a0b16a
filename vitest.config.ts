import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { COMPILED } from './scripts/compiled.ts'
import { listedFiles } from './scripts/listed-files.ts'

// For the processes that suites start.
process.env.NODE_COMPILE_CACHE ??= COMPILED

const onBitcoind = process.env.ORDBOOK_TEST_NODE === 'bitcoind'

/**
 * The suites of `npm test`: one for each kind of trade, attack, failure and page. Together with the checks and unit tests they take
 * at most 600 CPU seconds, which `.ci/run` verifies.
 */
const QUICK = listedFiles([
  'devnet/test/chain.test.ts',
  'e2e/bids.test.ts',
  'e2e/cheating-market.test.ts',
  'e2e/crash.test.ts',
  'e2e/enters-together.test.ts',
  'e2e/escrow-forms.test.ts',
  'e2e/hostile.test.ts',
  'e2e/lifecycle.test.ts',
  'e2e/lying-market.test.ts',
  'e2e/money.test.ts',
  'e2e/offer-checks.test.ts',
  'e2e/offer-states.test.ts',
  'e2e/offers.test.ts',
  'e2e/race.test.ts',
  'e2e/reorg.test.ts',
  'e2e/signer-policy.test.ts',
  'e2e/signer.test.ts',
  'e2e/swaps.test.ts',
  'e2e/trade.test.ts',
  'server/test/answers.test.ts',
  'server/test/check-sql.test.ts',
  'server/test/clock.test.ts',
  'server/test/database.test.ts',
  'server/test/errors.test.ts',
  'server/test/escrow-form.test.ts',
  'server/test/exits.test.ts',
  'server/test/keyed-calls.test.ts',
  'server/test/leases.test.ts',
  'server/test/limits.test.ts',
  'server/test/live-events.test.ts',
  'server/test/orders.test.ts',
  'server/test/pages.test.ts',
  'server/test/preflights.test.ts',
  'server/test/reads.test.ts',
  'server/test/reference.test.ts',
  'server/test/schema-files.test.ts',
  'server/test/schema.test.ts',
  'server/test/sessions.test.ts',
  'server/test/settlement-kinds.test.ts',
  'server/test/sign-in-forms.test.ts',
  'server/test/storefront.test.ts',
  'server/test/web-session.test.ts',
  'server/test/web.test.ts',
])

/** Long suites that the kind of node does not change. `npm run test:thorough` runs them on bitcoind too. */
const DEVNET_ALONE = listedFiles([
  'e2e/backup.test.ts',
  'e2e/begin-wait.test.ts',
  'e2e/bundle.test.ts',
  'e2e/database-faults.test.ts',
  'e2e/doctor-mirror.test.ts',
  'e2e/escrow-crash.test.ts',
  'e2e/external-sales.test.ts',
  'e2e/failing-ord.test.ts',
  'e2e/follower-thread.test.ts',
  'e2e/guardian-fuzz.test.ts',
  'e2e/guides.test.ts',
  'e2e/health.test.ts',
  'e2e/key-hosts.test.ts',
  'e2e/leader.test.ts',
  'e2e/lost-answers.test.ts',
  'e2e/lost-journals.test.ts',
  'e2e/lying-log.test.ts',
  'e2e/lying-market*.test.ts',
  'e2e/mirror.test.ts',
  'e2e/offer-crash.test.ts',
  'e2e/offer-states.test.ts',
  'e2e/order-log.test.ts',
  'e2e/published-form.test.ts',
  'e2e/repeats.test.ts',
  'e2e/replica.test.ts',
  'e2e/restore.test.ts',
  'e2e/sdk-examples.test.ts',
  'e2e/sight.test.ts',
  'e2e/signer-fuzz.test.ts',
  'e2e/signer-pair.test.ts',
  'e2e/signer-policy.test.ts',
  'e2e/signer-refusals.test.ts',
  'e2e/slow-readers.test.ts',
  'e2e/start-interrupted.test.ts',
  'e2e/start.test.ts',
  'e2e/stop-in-catch-up.test.ts',
  'e2e/traces.test.ts',
  'e2e/upgrade.test.ts',
])

const PREVIEWS = listedFiles(['e2e/preview*.test.ts', 'e2e/hostile-previews/**/*.test.ts'])

/** Suites that take minutes: they begin first, so that none is left running alone at the end. */
const LONG = listedFiles([
  'e2e/slow-readers.test.ts',
  'e2e/lost-answers.test.ts',
  'e2e/escrow-crash.test.ts',
  'e2e/signer-fuzz.test.ts',
  'e2e/offer-crash.test.ts',
  'e2e/leader.test.ts',
  'e2e/crash-everywhere.test.ts',
  'e2e/lying-market.test.ts',
  'e2e/red-team/red-team.test.ts',
  'e2e/start.test.ts',
  'e2e/start-interrupted.test.ts',
  'e2e/random-chain.test.ts',
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
 * Projects with the same number of workers share a `groupOrder`, as Vitest demands; it runs the groups one after the other.
 * CONTRIBUTING.md says what each project tests.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
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
          include: ['server/test/**/*.test.ts'],
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
            'e2e/upgrades/**',
            'e2e/wallets/**',
            ...PREVIEWS,
            ...(onBitcoind ? [] : ['e2e/bitcoind/**', 'e2e/red-team/**']),
            ...(onBitcoind && !process.env.ORDBOOK_TEST_THOROUGH ? DEVNET_ALONE : []),
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
          testTimeout: process.env.ORDBOOK_TEST_THOROUGH ? 7_200_000 : 900_000,
          hookTimeout: 180_000,
          maxWorkers: 1,
        },
      },
      {
        // Servers on a replica and behind a pooler, which scripts/test-scale installs.
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
          globalSetup: ['e2e/support/postgres.ts', 'e2e/support/compiled.ts'],
          setupFiles: ['e2e/support/served-document.ts'],
          testTimeout: process.env.ORDBOOK_TEST_THOROUGH ? 3_600_000 : 600_000,
          hookTimeout: 120_000,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Other people's wallets, which scripts/test-wallets fetches.
        test: {
          name: 'wallets',
          include: ['e2e/wallets/**/*.test.ts'],
          globalSetup: ['e2e/support/postgres.ts', 'e2e/support/compiled.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Clients generated from the served document, which scripts/test-clients makes.
        test: {
          name: 'clients',
          include: ['e2e/clients/**/*.test.ts'],
          globalSetup: ['e2e/support/postgres.ts', 'e2e/support/compiled.ts'],
          testTimeout: 150_000,
          hookTimeout: 120_000,
        },
      },
      {
        // The market as operators install it, which scripts/test-distribution prepares.
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
        // The packages as others install them, which scripts/test-packages builds.
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
          testTimeout: process.env.ORDBOOK_TEST_THOROUGH ? 600_000 : 120_000,
          hookTimeout: 120_000,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
