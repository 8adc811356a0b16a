import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { fenced, Lease, LeaseLost } from '@ordbook/db/lease/lease.ts'
import { LogThrottle, loop } from '@ordbook/db/lease/loop.ts'
import { openLog } from '@ordbook/db/process/log.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { Adopter } from '@ordbook/indexer/adoption/adopt.ts'
import { completeSome, incompleteOnBlock } from '@ordbook/indexer/adoption/complete.ts'
import { type BlockConsumer, Follower, isAtTip } from '@ordbook/indexer/blocks/follower.ts'
import { findTip } from '@ordbook/indexer/inscriptions/queries.ts'
import { MempoolWatcher, spentOnBlock } from '@ordbook/indexer/mempool/mempool.ts'
import { openSource } from '@ordbook/indexer/node/open-source.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { chainCollectionsOnBlock, refreshChildren } from '@ordbook/market/collections/from-chain.ts'
import { updateSortKeys } from '@ordbook/market/collections/import-queries.ts'
import { collectionsOnBlock } from '@ordbook/market/collections/on-block.ts'
import { escrowsOnBlock } from '@ordbook/market/escrows/on-block.ts'
import { listingsOnBlock } from '@ordbook/market/listings/on-block.ts'
import { listingsInMempool } from '@ordbook/market/listings/recheck.ts'
import { marketCoinsOnBlock } from '@ordbook/market/market-coins/on-block.ts'
import { proposalsInMempool } from '@ordbook/market/proposals/in-mempool.ts'
import { externalSalesOnBlock } from '@ordbook/market/sales/detect.ts'
import { salesOnBlock } from '@ordbook/market/sales/feed.ts'
import { transfersOnBlock } from '@ordbook/market/sales/transfers.ts'
import { settlementKinds } from '@ordbook/market/settlement-kinds.ts'
import {
  dependentsInMempool,
  dependentsOnBlock,
  endDependents,
  recheckDependents,
} from '@ordbook/market/settlements/dependent-orders.ts'
import { settlementsOnBlock } from '@ordbook/market/settlements/on-block.ts'
import type { MarketKeys } from '@ordbook/signer/requests.ts'

/** The options of the follower: plain data, so that it can be sent to a thread. */
export interface FollowOptions {
  config: Config & { databaseUrl: string; bitcoinRpcUrl: string }
  market: MarketKeys
  /** Block of an `ord` server at which the index began; null where it began at the first. */
  base: number | null
}

/** The longest that blocks wait for the adoption of members. */
const ADOPT_MILLISECONDS = 1000

/** A follower at work. */
export interface Following {
  /** Reads the chain and the mempool once, at once; returns the height that the index has reached. */
  sync(): Promise<number>
  /** Ends after the transaction under way, or rolls it back. */
  close(): Promise<void>
}

/**
 * Follows the chain and the mempool with a pool and a node client of its own, in turns with the other processes of the
 * role. The mempool is watched while blocks are read, and also where one cannot be.
 */
export function follow(
  { config, market, base }: FollowOptions,
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
    consumers: consumersOf({ market, base }),
    log,
    undoBlocks,
    satIndex,
  })
  const mempool = new MempoolWatcher(sql, node, [
    dependentsInMempool(settlementKinds.orders),
    listingsInMempool,
    proposalsInMempool,
  ])
  const adopter = ord && base !== null ? new Adopter(sql, node, ord, base, updateSortKeys) : null
  const throttle = new LogThrottle(log)
  const pause = (until: AbortSignal) =>
    sleep(config.pollMilliseconds, undefined, { signal: until }).catch(() => {})

  const index = serially((until: AbortSignal) => follower.sync(until, onProgress))
  const watch = serially(async (until: AbortSignal, atOnce: boolean) => {
    if (atOnce || !mempool.rests) await mempool.look(until)
    await recheckDependents({ sql, node }, settlementKinds.orders)
  })
  const adopt = serially((until: AbortSignal) => adoptSome({ sql, ord, base, adopter, throttle }, until))
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
        // Another process follows the chain, and its index counts.
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

/** Adopts for a while, and completes some; true where members are left. The follower goes on without ord. */
async function adoptSome(
  from: {
    sql: Sql
    ord: Ord | null
    base: number | null
    adopter: Adopter | null
    throttle: LogThrottle
  },
  until: AbortSignal,
): Promise<boolean> {
  const { sql, ord, base, adopter, throttle } = from
  let isMore = false
  await throttle.run('ord', async () => {
    isMore = (await adopter?.adoptUnseen(ADOPT_MILLISECONDS, until)) ?? false
    if (ord && base !== null) await completeSome(sql, ord, refreshChildren)
  })
  return isMore
}

/**
 * Watches the mempool during a long turn, and while a block cannot be indexed; throws what the turn throws. It stops
 * when the process ends: an aborted pause takes no time, so this loop would keep the turn from ending.
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
  // Its failure is thrown below.
  turned.catch(() => {})
  while (!isOver && !until.aborted) {
    await Promise.race([turned.catch(() => {}), pause(until)])
    if (!isOver && !until.aborted) await watch(until)
  }
  await turned
}

/** The consumers of blocks, in order. */
function consumersOf({ market, base }: Pick<FollowOptions, 'market' | 'base'>): BlockConsumer[] {
  // Settlements record their sales before listings look for unexplained moves.
  return [
    ...(base === null ? [] : [incompleteOnBlock]),
    collectionsOnBlock,
    chainCollectionsOnBlock,
    marketCoinsOnBlock(market),
    salesOnBlock,
    settlementsOnBlock(settlementKinds),
    externalSalesOnBlock,
    transfersOnBlock,
    spentOnBlock(endDependents(settlementKinds.orders)),
    dependentsOnBlock,
    escrowsOnBlock,
    listingsOnBlock,
  ]
}

/** Rethrows failures, except those caused by the end of the process. */
const unlessOver = (until: AbortSignal) => (error: unknown) => {
  if (!until.aborted) throw error
}

/** Calls that overlap run one after the other. */
function serially<A extends unknown[], T>(work: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (...args) => {
    const run = last.catch(() => {}).then(() => work(...args))
    last = run
    return run
  }
}
