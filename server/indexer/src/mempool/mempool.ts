import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { type BlockConsumer, isAtTip } from '../blocks/follower.ts'
import type { ChainSource } from '../node/source.ts'
import {
  deleteSpends,
  insertSpends,
  listSpenders,
  lockMempool,
  recordPoll,
  recordProgress,
  type Spend,
} from './mempool-queries.ts'

/** Called with newly spent coins, in the database transaction that records the spends. */
export type SpentHandler = (tx: Transaction, spent: Iterable<Spend>, now: Date) => Promise<void>

/** Transactions that left the mempool (mined, replaced or evicted) and the coins they spent. */
export interface DroppedSpends {
  coins: readonly Outpoint[]
  txids: readonly string[]
}

/**
 * Called when coins are spent in the mempool, and when such a spend is dropped: the coin can then be unspent
 * again.
 */
export interface CoinWatcher {
  spent: SpentHandler
  spendsDropped(tx: Transaction, dropped: DroppedSpends, now: Date): Promise<void>
}

/** Reload the table if the last poll is older than this: another process may have polled in the meantime. */
const STALE_AFTER_MS = 10_000
/** Reload the table at least this often, for the same reason. */
const RELOAD_EVERY_MS = 30_000
const BATCH_SIZE = 500
/**
 * If listing txids takes longer than this, in milliseconds, back off for four times as long, up to
 * `MAX_BACKOFF_MS`.
 */
const SLOW_LISTING_MS = 500
const MAX_BACKOFF_MS = 5000

/**
 * Polls the node's mempool and mirrors its spends into `mempool_spends`. Watchers run in the same database transaction as each change. When
 * a transaction leaves the mempool, its spends stay in the table until the index reaches the node's tip. Otherwise a mined spend would look
 * unspent until its block is indexed.
 */
export class MempoolWatcher {
  private readonly sql: Sql
  private readonly node: ChainSource
  private readonly watchers: readonly CoinWatcher[]
  private knownSpenders: Set<string> | null = null
  private polledAt = 0
  private reloadedAt = 0
  private backoffUntil = 0

  constructor(sql: Sql, node: ChainSource, watchers: readonly CoinWatcher[]) {
    this.sql = sql
    this.node = node
    this.watchers = watchers
  }

  /** True while polls are delayed because the node was slow to list its mempool. */
  get rests(): boolean {
    return performance.now() < this.backoffUntil
  }

  /**
   * Polls once. Throws if `signal` aborts. Finished batches are kept, and the next poll resumes from the
   * table.
   */
  async look(signal?: AbortSignal): Promise<void> {
    const { knownSpenders, polledAt } = this
    const began = performance.now()
    const node = signal ? this.node.within({ signal }) : this.node
    const isFresh =
      knownSpenders && began - polledAt < STALE_AFTER_MS && began - this.reloadedAt < RELOAD_EVERY_MS
    if (!isFresh) this.reloadedAt = began
    // Stays null if anything below throws, so that the next poll reloads the table.
    this.knownSpenders = null
    const before = isFresh ? knownSpenders : new Set(await listSpenders(this.sql))
    const listing = performance.now()
    const now = new Set(await node.mempoolTxids())
    const listed = performance.now()
    const unseen = [...now.difference(before)]
    let read = 0
    // The first poll of a full mempool can take minutes and may be aborted, so record each batch.
    for await (const batch of node.transactions(unseen, BATCH_SIZE)) {
      const spends: Spend[] = []
      for (const [spender, tx] of batch) {
        // The transaction left the mempool after it was listed. Forget it, so that it is fetched if it
        // returns.
        if (!tx) now.delete(spender)
        else for (const { txid, vout } of tx.inputs) spends.push({ txid, vout, spender })
      }
      await this.record([], spends)
      read += batch.length
      if (unseen.length > BATCH_SIZE) await recordProgress(this.sql, unseen.length - read)
      signal?.throwIfAborted()
    }
    // Drop old spends only after new spends are recorded, so that a coin whose spender was replaced never
    // looks unspent.
    const leftTxids = [...before.difference(now)]
    const atTip = leftTxids.length > 0 && (await isAtTip(this.sql, node))
    if (atTip) await this.record(leftTxids, [])
    await recordPoll(this.sql, now.size)
    // If the index is behind the tip, the spends were not dropped.
    this.knownSpenders = atTip ? now : now.union(before)
    this.polledAt = performance.now()
    const listMilliseconds = listed - listing
    this.backoffUntil =
      listMilliseconds < SLOW_LISTING_MS ? 0 : this.polledAt + Math.min(4 * listMilliseconds, MAX_BACKOFF_MS)
  }

  private record(leftTxids: readonly string[], spends: readonly Spend[]): Promise<void> {
    return inTransaction(this.sql, async (tx) => {
      await lockMempool(tx)
      const dropped =
        leftTxids.length > 0 ? { coins: await deleteSpends(tx, leftTxids), txids: leftTxids } : null
      await insertSpends(tx, spends)
      const now = new Date()
      for (const watcher of this.watchers) {
        await watcher.spent(tx, spends, now)
        if (dropped) await watcher.spendsDropped(tx, dropped, now)
      }
    })
  }
}

/** Returns a block consumer that passes the coins spent in each block to `handle`. */
export function spentOnBlock(handle: SpentHandler): BlockConsumer {
  return {
    name: 'spent',
    async apply(tx, block) {
      if (block.transactions.length === 1) return
      // Lazy, because the handler skips the spends if no order depends on any coin.
      const spends = {
        *[Symbol.iterator](): Generator<Spend> {
          for (const { txid: spender, outpoints } of block.transactions.slice(1))
            for (const { txid, vout } of outpoints) yield { txid, vout, spender }
        },
      }
      await handle(tx, spends, block.seenAt)
    },
    async undo() {},
  }
}
