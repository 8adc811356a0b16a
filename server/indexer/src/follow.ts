import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { fenced, Lease, LeaseLost } from '@ordbook/db/lease/lease.ts'
import { LogThrottle, loop } from '@ordbook/db/lease/loop.ts'
import { openLog } from '@ordbook/db/process/log.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { Adopter } from './adoption/adopt.ts'
import { completeSome, incompleteOnBlock } from './adoption/complete.ts'
import { type BlockConsumer, Follower, isAtTip } from './blocks/follower.ts'
import { findTip } from './inscriptions/queries.ts'
import { type CoinWatcher, MempoolWatcher } from './mempool/mempool.ts'
import { openSource } from './node/open-source.ts'
import type { ChainSource } from './node/source.ts'
import { Ord } from './ord/ord.ts'

/** Plain data, so that it can be sent to a worker thread. */
export interface FollowOptions {
  config: Config & { databaseUrl: string; bitcoinRpcUrl: string }
  /** Height at which the index began with an `ord` server; null if it began at the first block. */
  base: number | null
}

/** Code above the indexer that runs in its transactions. */
export interface Consumers {
  /** Called for each block and each undone block, in this order. */
  onBlock: readonly BlockConsumer[]
  /** Called when the mempool spends watched coins. */
  inMempool: readonly CoinWatcher[]
  /** Runs after each poll of the mempool. */
  afterMempool(sources: { sql: Sql; node: ChainSource }): Promise<void>
  /** Runs in the transaction that adopts inscriptions from `ord`. */
  onAdopted: ConstructorParameters<typeof Adopter>[4]
  /** Runs in the transaction that adds properties of adopted parents. */
  onParents(tx: Transaction, parentIds: readonly string[]): Promise<void>
}

/** For an index without a market. */
export const NO_CONSUMERS: Consumers = {
  onBlock: [],
  inMempool: [],
  afterMempool: async () => {},
  onAdopted: async () => {},
  onParents: async () => {},
}

/** Maximum time per iteration for adopting members, during which blocks wait. */
const ADOPT_MILLISECONDS = 1000

/** A running follower. */
export interface Following {
  /** Runs one immediate pass over chain and mempool; returns the height of the index. */
  sync(): Promise<number>
  /** Stops after the current transaction, or rolls it back. */
  close(): Promise<void>
}

/**
 * Indexes the chain and watches the mempool, with its own database pool and node client. Of all processes that follow a database, only the
 * holder of the lease works. The mempool is polled even during long batches of blocks and while a block cannot be indexed.
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
  const pool = connect(directUrl, { as: 'follower', max: 4, name: lease.sessionName })
  const sql = fenced(pool, lease)
  const node = openSource(config.bitcoinRpcUrl).within({ signal })
  const ord = config.ordUrl ? new Ord(config.ordUrl).within({ milliseconds: 30_000, signal }) : null
  const { chain, undoBlocks, satIndex } = config
  const follower = new Follower({
    sql,
    node,
    chain,
    consumers: [...(base === null ? [] : [incompleteOnBlock]), ...consumers.onBlock],
    log,
    undoBlocks,
    satIndex,
  })
  const mempool = new MempoolWatcher(sql, node, consumers.inMempool)
  const adopter = ord && base !== null ? new Adopter(sql, node, ord, base, consumers.onAdopted) : null
  const throttle = new LogThrottle(log)
  const pause = (until: AbortSignal) =>
    sleep(config.pollMilliseconds, undefined, { signal: until }).catch(() => {})

  const index = serially((until: AbortSignal) => follower.sync(until, onProgress))
  const watch = serially(async (until: AbortSignal, atOnce: boolean) => {
    if (atOnce || !mempool.rests) await mempool.look(until)
    await consumers.afterMempool({ sql, node })
  })
  const adopt = serially((until: AbortSignal) =>
    adoptSome({ sql, ord, base, adopter, throttle, consumers }, until),
  )
  const turn = async (until: AbortSignal, atOnce: boolean): Promise<number> => {
    for (;;) {
      const indexing = index(until)
      await indexing.catch(() => {})
      await watch(until, atOnce)
      const isMore = await adopt(until)
      const height = await indexing
      if (!isMore || until.aborted) return height
    }
  }
  const running = loop(lease, signal, config.pollMilliseconds, throttle, (until) =>
    watchDuring(turn(until, false), until, {
      pause,
      watch: (end) => throttle.run('mempool', () => watch(end, false).catch(unlessOver(end))),
    }).catch(unlessOver(until)),
  )
  return {
    async sync() {
      for (; !signal.aborted; await sleep(20)) {
        if (lease.isHeld)
          try {
            return await turn(signal, true)
          } catch (error) {
            if (!(error instanceof LeaseLost)) throw error
          }
        // Another process follows the chain; wait for its index to reach the tip.
        else if (lease.isElsewhere && (await isAtTip(sql, node))) return (await findTip(sql))!.height
      }
      throw signal.reason
    },
    async close() {
      stopping.abort(new Error('the follower stops'))
      await running
      await sql.end({ timeout: 1 })
    },
  }
}

/** Adopts for a limited time, and completes some inscriptions. Returns true if members are left. Failures of ord are logged, not thrown. */
async function adoptSome(
  from: {
    sql: Sql
    ord: Ord | null
    base: number | null
    adopter: Adopter | null
    throttle: LogThrottle
    consumers: Consumers
  },
  until: AbortSignal,
): Promise<boolean> {
  const { sql, ord, base, adopter, throttle, consumers } = from
  let isMore = false
  await throttle.run('ord', async () => {
    isMore = (await adopter?.adoptUnseen(ADOPT_MILLISECONDS, until)) ?? false
    if (ord && base !== null) await completeSome(sql, ord, consumers.onParents)
  })
  return isMore
}

/**
 * Watches the mempool during a long iteration, and while a block cannot be indexed. Rethrows the iteration's error. It must stop when the
 * process ends: an aborted pause returns immediately, so the loop would spin and keep the iteration from finishing.
 */
async function watchDuring(
  turn: Promise<unknown>,
  until: AbortSignal,
  { pause, watch }: Record<'pause' | 'watch', (until: AbortSignal) => Promise<unknown>>,
): Promise<void> {
  let isOver = false
  const turned = turn.finally(() => {
    isOver = true
  })
  // Avoid an unhandled rejection: the error is thrown below.
  turned.catch(() => {})
  while (!isOver && !until.aborted) {
    await Promise.race([turned.catch(() => {}), pause(until)])
    if (!isOver && !until.aborted) await watch(until)
  }
  await turned
}

/** Rethrows failures, except those caused by the shutdown. */
const unlessOver = (until: AbortSignal) => (error: unknown) => {
  if (!until.aborted) throw error
}

/** Runs overlapping calls one after the other. */
function serially<A extends unknown[], T>(work: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (...args) => {
    const run = last.catch(() => {}).then(() => work(...args))
    last = run
    return run
  }
}
