import { fenced, Lease } from '@ordbook/db/lease/lease.ts'
import { LogThrottle, loop } from '@ordbook/db/lease/loop.ts'
import { inOwnSpan } from '@ordbook/db/process/span.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { endBlockedOrders } from '@ordbook/market/blocked-orders.ts'
import { finishCollectionOffers } from '@ordbook/market/collection-offers/lifecycle.ts'
import { followBids } from '@ordbook/market/collection-offers/recheck.ts'
import { sendFloors } from '@ordbook/market/escrows/floors.ts'
import { notifyExpiring } from '@ordbook/market/inbox/queries.ts'
import { endRevokedOrders } from '@ordbook/market/journal-recovery.ts'
import { expireListings } from '@ordbook/market/listings/lifecycle.ts'
import { recheckWaiting } from '@ordbook/market/listings/recheck.ts'
import { finishEnded } from '@ordbook/market/listings/recover.ts'
import {
  mergeSurplus,
  poolOf,
  replenish,
  resumeMarketTransactions,
} from '@ordbook/market/market-coins/pool.ts'
import { poolAlarm } from '@ordbook/market/market-coins/pool-alarm.ts'
import { expireOffers } from '@ordbook/market/offers/lifecycle.ts'
import { finishCounters } from '@ordbook/market/offers/recover.ts'
import { expireProposals } from '@ordbook/market/proposals/lifecycle.ts'
import { settlementKinds } from '@ordbook/market/settlement-kinds.ts'
import { resumeSettlements } from '@ordbook/market/settlements/broadcast.ts'
import { bumpStuck } from '@ordbook/market/settlements/bump.ts'
import { deleteFinishedBacking } from '@ordbook/market/settlements/dependent-orders.ts'
import type { SettlingContext } from '@ordbook/market/settlements/kinds.ts'
import { hashOrderLog, signHead } from '@ordbook/operations/order-log/hash.ts'
import { sealOrderLog } from '@ordbook/operations/order-log/seal.ts'
import { inBatches, PRUNED } from '@ordbook/operations/pruning.ts'
import { rateJob } from '@ordbook/site/fiat/fiat.ts'
import { previewJob, UNFINISHED } from '@ordbook/site/thumbnails/queue.ts'
import { findActivity } from './activity-queries.ts'
import { everyMinute, once } from './intervals.ts'

/** Periodic jobs. They run in the process that holds the `jobs` lease. */
export interface Jobs {
  /** Stops after the current job. */
  close(): Promise<void>
}

interface Needs {
  /** Address to fund in the log message about a low pool. */
  marketAddress: string
  refreshTime(): Promise<unknown>
  /** Called after expired rows of a table were deleted. */
  onDeleted(table: string, rows: number): void
}

/** Starts the jobs. They run every second while orders or blocks change, otherwise every `quietJobsMilliseconds`. */
export function startJobs(context: SettlingContext, needs: Needs): Jobs {
  const { config, log } = context
  const directUrl = config.databaseDirectUrl ?? config.databaseUrl
  if (!directUrl) throw new Error('The jobs role requires DATABASE_URL.')
  const stopping = new AbortController()
  const throttle = new LogThrottle(log)
  const lease = new Lease(directUrl, 'jobs')
  const sql = fenced(directUrl, lease, { as: 'jobs', max: 3 })
  // Inherit from `context`, because tests replace its members.
  const at: SettlingContext = Object.assign(Object.create(context) as SettlingContext, { sql })
  let jobs: ReturnType<typeof jobsOf> = {}
  let term: AbortSignal | null = null
  let last = NEVER
  const pollMilliseconds = Math.max(config.pollMilliseconds, 1000)
  const working = loop(lease, stopping.signal, pollMilliseconds, throttle, async (signal) => {
    // Recreate the jobs for each lease: the database may have been restored in the meantime.
    if (signal !== term) {
      jobs = jobsOf(at, needs)
      last = NEVER
    }
    term = signal
    const { tip, isPending } = await findActivity(sql)
    const isQuiet = last.isFinished && !isPending && tip === last.tip
    if (isQuiet && performance.now() - last.startedAt < config.quietJobsMilliseconds) return
    const startedAt = performance.now()
    last = { tip, startedAt, isFinished: await runJobs(jobs, throttle, signal) }
  })
  return {
    async close() {
      stopping.abort()
      await working
      await sql.end({ timeout: 5 })
    },
  }
}

/** The last run. */
const NEVER = { tip: null as string | null, startedAt: Number.NEGATIVE_INFINITY, isFinished: false }

/** Runs all jobs once; a failing job does not stop the others. Returns false if one failed or has more to do. */
async function runJobs(
  jobs: ReturnType<typeof jobsOf>,
  throttle: LogThrottle,
  signal: AbortSignal,
): Promise<boolean> {
  let finished = 0
  const names = Object.keys(jobs)
  for (const name of names)
    if (!signal.aborted)
      await throttle.run(name, async () => {
        if ((await inOwnSpan(`job ${name}`, {}, jobs[name]!)) !== UNFINISHED) finished++
      })
  return finished === names.length
}

/** Returns the jobs in execution order. */
function jobsOf(
  at: SettlingContext,
  { marketAddress, refreshTime, onDeleted }: Needs,
): Record<string, () => Promise<unknown>> {
  const { clock, time } = at
  /** Skips `work` while the clock is unreliable. */
  const settled = (work: () => Promise<unknown>) => async () => {
    if (time.isSettled()) await work()
  }
  const alarm = alarmOf(at, marketAddress)
  const pruned = Object.entries(PRUNED).map(([table, deleteSome]) => {
    const prune = async () => onDeleted(table, await inBatches((most) => deleteSome(at, clock(), most)))
    return [`prune ${table}`, settled(everyMinute(prune))] as const
  })
  return {
    revoked: once(() => endRevokedOrders(at)),
    blocked: everyMinute(() => endBlockedOrders(at)),
    time: refreshTime,
    expire: settled(() => expireListings(at)),
    waiting: () => recheckWaiting(at),
    floors: () => sendFloors(at),
    offers: settled(() => expireOffers(at)),
    counters: () => finishCounters(at),
    collectionOffers: () => finishCollectionOffers(at),
    bids: followBids(at),
    backing: settled(everyMinute(() => deleteFinishedBacking(at.sql, settlementKinds.orders, clock()))),
    proposals: settled(() => expireProposals(at)),
    expiring: settled(everyMinute(() => notifyExpiring(at.sql, clock()))),
    ...Object.fromEntries(pruned),
    orderLog: async () => {
      await sealOrderLog(at.sql)
      await hashOrderLog(at.sql, at.config.chain)
    },
    logHead: () => signHead(at),
    settlements: () => resumeSettlements(at),
    marketTransactions: () => resumeMarketTransactions(at),
    bump: () => bumpStuck(at),
    ended: () => finishEnded(at),
    pool: async () => alarm(await replenish(at)),
    surplus: () => mergeSurplus(at),
    previews: previewJob(at.sql, at),
    rate: rateJob(at.sql, at),
  }
}

/** Logs when the market runs low on coins, and when it has enough again. */
function alarmOf(context: SettlingContext, marketAddress: string) {
  const { log } = context
  return poolAlarm(() => performance.now(), {
    low: () =>
      void settlementFeeRate(context)
        .then((rate) => poolOf(context, rate))
        .then(
          (pool) =>
            log.error(
              { ...pool, address: marketAddress },
              'market coins run low, send funds to the market address',
            ),
          // The next alarm retries.
          () => {},
        ),
    enough: () => log.info('market coins are sufficient again'),
  })
}
