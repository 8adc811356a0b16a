import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql, Transaction } from '@ordbook/db/driver/connect.ts'
import { fenced, Lease, LeaseLost } from '@ordbook/db/lease/lease.ts'
import { LogThrottle, loop } from '@ordbook/db/lease/loop.ts'
import { Pace } from '@ordbook/db/lease/pace.ts'
import { openLog } from '@ordbook/db/process/log.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { utxoFolderOf } from '@ordbook/db/settings/indexer.ts'
import type { Logger } from 'pino'
import { Adopter } from './adoption/adopt.ts'
import { completeSome, incompleteOnBlock } from './adoption/complete.ts'
import type { BlockConsumer } from './blocks/block-consumer.ts'
import { BlockReader } from './blocks/block-reader.ts'
import { Follower, isAtTip } from './blocks/follower.ts'
import { findTip } from './inscriptions/queries.ts'
import { type CoinWatcher, MempoolWatcher } from './mempool/mempool.ts'
import { CoreSource } from './node/core.ts'
import { readNotifications } from './node/notifications.ts'
import { openSource } from './node/open-source.ts'
import type { ChainSource } from './node/source.ts'
import { Ord } from './ord/ord.ts'
import { UtxoFollower } from './utxos/utxo-follower.ts'
import { removeUtxos } from './utxos/utxo-queries.ts'

/** Options of `followChain`, as plain data for a worker thread. */
export interface FollowOptions {
  config: Config & { databaseUrl: string; bitcoinRpcUrl: string }
  /** First height of an index seeded from `ord`; null if there are no inscriptions before it. */
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
  /** Called after the blocks of a pass, for work that their transactions left. Returns true if some is left. */
  afterBlocks(sql: Sql, until: AbortSignal): Promise<boolean>
}

export const NO_CONSUMERS: Consumers = {
  onBlock: [],
  inMempool: [],
  afterMempool: async () => {},
  onAdopted: async () => {},
  onParents: async () => {},
  afterBlocks: async () => false,
}

const BLOCK_GAP_MS = 1000
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

  const pace = paceOf(config)
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
  const finish = serialize((until: AbortSignal) =>
    finishSome({ sql, ord, adopter, throttle, consumers }, until),
  )
  const runPass = async (until: AbortSignal, immediately: boolean): Promise<number> => {
    if (immediately) follower.forget()
    for (;;) {
      const indexing = indexChain(until)
      await indexing.catch(() => {})
      await watch(until, immediately)
      const isMore = await finish(until)
      const height = await indexing
      if ((!isMore && !mempool.isUnfinished) || until.aborted) return height
    }
  }
  const utxos = keeperOf(utxoWork(config, { sql, log, signal }), throttle)
  let term: AbortSignal | null = null
  const step = (until: AbortSignal) => {
    if (until !== term) {
      follower.forget()
      mempool.forget()
    }
    term = until
    utxos.keep(until)
    return watchDuring(runPass(until, false), until, {
      pause,
      watch: (end) => {
        utxos.keep(end)
        return throttle.run('mempool', () => watch(end, false).catch(unlessAborted(end)))
      },
    }).catch(unlessAborted(until))
  }
  void readNotifications({ node, log, throttle, onChange: hastenOn(pace, config) }, signal)
  const running = loop(lease, signal, config.pollMilliseconds, throttle, step, pace)
  return {
    wake: () => pace.wake(),
    sync: () => passNow({ sql, node, lease, signal }, () => runPass(signal, true)),
    async close() {
      stopping.abort(new Error('the follower is stopping'))
      await running
      await utxos.kept()
      await sql.end({ timeout: 1 })
    },
  }
}

const paceOf = (config: Config) =>
  new Pace({
    active: config.pollMilliseconds,
    quiet: config.quietPollMilliseconds,
    quietAfter: config.quietAfterMilliseconds,
  })

/** A block ends a pause, and a transaction a quiet one. Floods of notifications add at most one poll of the chain per second. */
function hastenOn(pace: Pace, { pollMilliseconds }: Config): (what: 'block' | 'transaction') => void {
  let hastenedAt = -Infinity
  return (what) => {
    if (what === 'block' && performance.now() - hastenedAt > BLOCK_GAP_MS) {
      hastenedAt = performance.now()
      pace.shorten(0)
    } else pace.shorten(pollMilliseconds)
  }
}

/** Runs a pass as soon as this process holds the lease. Returns if another process holds it and has indexed the tip. */
async function passNow(
  { sql, node, lease, signal }: { sql: Sql; node: ChainSource; lease: Lease; signal: AbortSignal },
  pass: () => Promise<number>,
): Promise<number> {
  for (; !signal.aborted; await sleep(20)) {
    if (lease.isHeld)
      try {
        return await pass()
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error
      }
    else if (lease.isElsewhere && (await isAtTip(sql, node))) return (await findTip(sql))!.height
  }
  throw signal.reason
}

/** Follows the UTXO set beside the index, because a load takes long. */
function keeperOf(work: (until: AbortSignal) => Promise<void>, throttle: LogThrottle) {
  let keeping: Promise<void> | null = null
  return {
    /** Starts a pass, unless one is running. */
    keep(until: AbortSignal) {
      keeping ??= throttle
        .run('UTXO set', () => work(until).catch(unlessAborted(until)))
        .finally(() => (keeping = null))
    },
    /** Resolves when the pass ends. */
    kept: async () => keeping,
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
      reader: new BlockReader(node, config.bitcoinRpcUrl, config.blockThreadFromBytes),
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

/** Returns what follows the UTXO set with `ADDRESS_INDEX_URL=node:///FOLDER`. With another setting, it removes the set once per lease. */
function utxoWork(
  config: FollowOptions['config'],
  { sql, log, signal }: { sql: Sql; log: Logger; signal: AbortSignal },
): (until: AbortSignal) => Promise<void> {
  const folder = utxoFolderOf(config.addressIndexUrl)
  if (folder === null) {
    let removedIn: AbortSignal | null = null
    return async (until) => {
      if (removedIn === until) return
      await removeUtxos(sql)
      removedIn = until
    }
  }
  const node = new CoreSource(config.bitcoinRpcUrl).within({ signal })
  const utxos = new UtxoFollower({
    sql,
    node,
    reader: new BlockReader(node, null),
    databaseUrl: config.databaseDirectUrl ?? config.databaseUrl,
    folder,
    log,
    undoBlocks: config.undoBlocks,
    loadPauseMilliseconds: config.utxoLoadPauseMilliseconds,
  })
  return (until) => utxos.sync(until)
}

/** Adopts members and does the work after blocks for a limited time, and completes a batch. Returns true if some is left. Logs failures. */
async function finishSome(
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
  let isWorkLeft = false
  await throttle.run('work after blocks', async () => {
    isWorkLeft = await consumers.afterBlocks(sql, until)
  })
  return isMore || isWorkLeft
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
