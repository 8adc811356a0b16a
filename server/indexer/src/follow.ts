import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql, Transaction } from '@ordbook/db/driver/connect.ts'
import { fenced, Lease, LeaseLost } from '@ordbook/db/lease/lease.ts'
import { LogThrottle, loop } from '@ordbook/db/lease/loop.ts'
import { Pace } from '@ordbook/db/lease/pace.ts'
import { openLog } from '@ordbook/db/process/log.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import type { Logger } from 'pino'
import { Adopter } from './adoption/adopt.ts'
import { completeSome, incompleteOnBlock } from './adoption/complete.ts'
import type { BlockConsumer } from './blocks/block-consumer.ts'
import { BlockReader } from './blocks/block-reader.ts'
import { Follower, isAtTip } from './blocks/follower.ts'
import { findTip } from './inscriptions/queries.ts'
import { type CoinWatcher, MempoolWatcher } from './mempool/mempool.ts'
import { openSource } from './node/open-source.ts'
import type { ChainSource } from './node/source.ts'
import { Ord } from './ord/ord.ts'

/** Options of `followChain`, as plain data for a worker thread. */
export interface FollowOptions {
  config: Config & { databaseUrl: string; bitcoinRpcUrl: string }
  /** First height of an index seeded from `ord`; null if it started at genesis. */
  base: number | null
}

/** Market callbacks that run in the indexer's transactions. */
export interface Consumers {
  /** Called in order for each applied and undone block. */
  onBlock: readonly BlockConsumer[]
  inMempool: readonly CoinWatcher[]
  afterMempool(sources: { sql: Sql; node: ChainSource }): Promise<void>
  /** Runs in the transaction that adopts inscriptions. */
  onAdopted: ConstructorParameters<typeof Adopter>[4]
  /** Runs in the transaction that adds parents. */
  onParents(tx: Transaction, parentIds: readonly string[]): Promise<void>
}

export const NO_CONSUMERS: Consumers = {
  onBlock: [],
  inMempool: [],
  afterMempool: async () => {},
  onAdopted: async () => {},
  onParents: async () => {},
}

/** Maximum time per iteration for adopting members, while blocks wait. */
const ADOPT_MILLISECONDS = 1000

export interface Following {
  /** Polls chain and mempool now, because they have probably changed. */
  wake(): void
  /** Runs one immediate pass over chain and mempool. Returns the index height. */
  sync(): Promise<number>
  /** Stops after the current transaction or rolls it back. */
  close(): Promise<void>
}

/**
 * Indexes the chain and watches the mempool, with a separate database pool and node client. Only the lease holder works. Polls the mempool
 * also during long batches and while a block is stuck.
 */
export function followChain(
  { config, base }: FollowOptions,
  consumers: Consumers,
  onProgress: (height: number, target: number) => void,
): Following {
  const log = openLog(config)
  const stopping = new AbortController()
  const { signal } = stopping
  const directUrl = config.databaseDirectUrl ?? config.databaseUrl
  const lease = new Lease(directUrl, 'follower')
  const sql = fenced(directUrl, lease, { as: 'follower', max: 4 })
  const { node, ord, follower, mempool, adopter } = openParts({ config, base }, consumers, {
    sql,
    log,
    signal,
  })
  const throttle = new LogThrottle(log)
  const pause = (until: AbortSignal) =>
    sleep(config.pollMilliseconds, undefined, { signal: until }).catch(() => {})

  const pace = new Pace({
    active: config.pollMilliseconds,
    quiet: config.quietPollMilliseconds,
    quietAfter: config.quietAfterMilliseconds,
  })
  const indexChain = serialize((until: AbortSignal) =>
    follower.sync(until, (height, target) => {
      pace.noteChange()
      onProgress(height, target)
    }),
  )
  const watch = serialize(async (until: AbortSignal, immediately: boolean) => {
    if ((immediately || !mempool.rests) && (await mempool.look(until))) pace.noteChange()
    await consumers.afterMempool({ sql, node })
  })
  const adopt = serialize((until: AbortSignal) =>
    adoptSome({ sql, ord, adopter, throttle, consumers }, until),
  )
  const runPass = async (until: AbortSignal, immediately: boolean): Promise<number> => {
    if (immediately) follower.forget()
    for (;;) {
      const indexing = indexChain(until)
      await indexing.catch(() => {})
      await watch(until, immediately)
      const isMore = await adopt(until)
      const height = await indexing
      if (!isMore || until.aborted) return height
    }
  }
  let term: AbortSignal | null = null
  const step = (until: AbortSignal) => {
    if (until !== term) follower.forget()
    term = until
    return watchDuring(runPass(until, false), until, {
      pause,
      watch: (end) => throttle.run('mempool', () => watch(end, false).catch(unlessAborted(end))),
    }).catch(unlessAborted(until))
  }
  const running = loop(lease, signal, config.pollMilliseconds, throttle, step, pace)
  return {
    wake: () => pace.wake(),
    async sync() {
      for (; !signal.aborted; await sleep(20)) {
        if (lease.isHeld)
          try {
            return await runPass(signal, true)
          } catch (error) {
            if (!(error instanceof LeaseLost)) throw error
          }
        else if (lease.isElsewhere && (await isAtTip(sql, node))) return (await findTip(sql))!.height
      }
      throw signal.reason
    },
    async close() {
      stopping.abort(new Error('the follower is stopping'))
      await running
      await sql.end({ timeout: 1 })
    },
  }
}

function openParts(
  { config, base }: FollowOptions,
  consumers: Consumers,
  { sql, log, signal }: { sql: Sql; log: Logger; signal: AbortSignal },
) {
  const node = openSource(config.bitcoinRpcUrl).within({ signal })
  const ord = config.ordUrl ? new Ord(config.ordUrl).within({ milliseconds: 30_000, signal }) : null
  const { chain, undoBlocks, satIndex } = config
  const blockConsumers = [...(base === null ? [] : [incompleteOnBlock]), ...consumers.onBlock]
  return {
    node,
    ord,
    follower: new Follower({
      sql,
      node,
      reader: new BlockReader(node, config.bitcoinRpcUrl),
      chain,
      consumers: blockConsumers,
      log,
      undoBlocks,
      satIndex,
    }),
    mempool: new MempoolWatcher(sql, node, consumers.inMempool),
    adopter: ord && base !== null ? new Adopter(sql, node, ord, base, consumers.onAdopted) : null,
  }
}

/** Adopts members for a limited time and completes a batch. Returns true if members are left. Logs failures of ord. */
async function adoptSome(
  from: {
    sql: Sql
    ord: Ord | null
    adopter: Adopter | null
    throttle: LogThrottle
    consumers: Consumers
  },
  until: AbortSignal,
): Promise<boolean> {
  const { sql, ord, adopter, throttle, consumers } = from
  let isMore = false
  await throttle.run('ord', async () => {
    isMore = (await adopter?.adoptUnseen(ADOPT_MILLISECONDS, until)) ?? false
    if (ord && adopter) await completeSome(sql, ord, adopter, consumers.onParents)
  })
  return isMore
}

/**
 * Polls the mempool while a pass runs, and rethrows the pass's error. Stops when `until` aborts, because pauses then return immediately.
 */
async function watchDuring(
  pass: Promise<unknown>,
  until: AbortSignal,
  { pause, watch }: Record<'pause' | 'watch', (until: AbortSignal) => Promise<unknown>>,
): Promise<void> {
  let isOver = false
  const finished = pass.finally(() => {
    isOver = true
  })
  // Avoid an unhandled rejection: the error is thrown below.
  finished.catch(() => {})
  while (!isOver && !until.aborted) {
    await Promise.race([finished.catch(() => {}), pause(until)])
    if (!isOver && !until.aborted) await watch(until)
  }
  await finished
}

/** Rethrows an error unless the shutdown caused it. */
const unlessAborted = (until: AbortSignal) => (error: unknown) => {
  if (!until.aborted) throw error
}

function serialize<A extends unknown[], T>(work: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (...args) => {
    const run = last.catch(() => {}).then(() => work(...args))
    last = run
    return run
  }
}
