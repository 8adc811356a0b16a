import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { inTransaction, type Queryable, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { BlockConsumer } from '../blocks/block-consumer.ts'
import { isAtTip } from '../blocks/follower.ts'
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

/** Called with newly spent coins, in the transaction that records them. */
export type SpentHandler = (tx: Transaction, spent: Iterable<Spend>, now: Date) => Promise<void>

/** Transactions that left the mempool (mined, replaced or evicted), and their coins. */
export interface DroppedSpends {
  coins: readonly Outpoint[]
  txids: readonly string[]
}

/** Called when coins are spent in the mempool, and when such a spend is dropped. */
export interface CoinWatcher {
  /** Yields the coins that live orders depend on, in portions. */
  orderCoins(sql: Queryable): AsyncIterable<readonly Outpoint[]>
  spent: SpentHandler
  spendsDropped(tx: Transaction, dropped: DroppedSpends, now: Date): Promise<void>
}

/** Reload the table after this time, because another process may have polled. */
const STALE_AFTER_MS = 10_000
/** Reload the table at least this often. */
const RELOAD_EVERY_MS = 30_000
/** Interval of `mempool_poll` while the number of transactions is the same. */
const RECORD_EVERY_MS = 2000
const BATCH_SIZE = 500
/** A look at many new transactions ends after this time, so that blocks do not wait. The next look continues. */
const LOOK_MS = 10_000
/** If listing txids takes longer, back off for four times as long, up to `MAX_BACKOFF_MS`. */
const SLOW_LISTING_MS = 500
const MAX_BACKOFF_MS = 5000

/**
 * Mirrors mempool spends into `mempool_spends`. Watchers run in the transaction of each change. When a transaction leaves the mempool, its
 * spends stay until the index reaches the tip, so that a mined spend never looks unspent.
 */
export class MempoolWatcher {
  private readonly sql: Sql
  private readonly node: ChainSource
  private readonly watchers: readonly CoinWatcher[]
  private readonly lookMilliseconds: number
  private knownSpenders: Set<string> | null = null
  private polledAt = 0
  private reloadedAt = 0
  private backoffUntil = 0
  private unfinished = false
  /** The last row of `mempool_poll`; null if it may be different. */
  private recorded: { count: number; at: number } | null = null

  constructor(
    sql: Sql,
    node: ChainSource,
    watchers: readonly CoinWatcher[],
    { lookMilliseconds = LOOK_MS }: { lookMilliseconds?: number } = {},
  ) {
    this.sql = sql
    this.node = node
    this.watchers = watchers
    this.lookMilliseconds = lookMilliseconds
  }

  /** True if the last look left transactions unread, for lack of time. */
  get isUnfinished(): boolean {
    return this.unfinished
  }

  /** True while polls are delayed because the node was slow. */
  get rests(): boolean {
    return performance.now() < this.backoffUntil
  }

  /** Makes the next poll read the tables. Call it if another process may have written them, or PostgreSQL has restarted. */
  forget(): void {
    this.knownSpenders = null
    this.recorded = null
  }

  /**
   * Polls once. Returns whether transactions came or left. Throws if `signal` aborts. The next poll resumes after the finished batches, also
   * if `isUnfinished`.
   */
  async look(signal?: AbortSignal): Promise<boolean> {
    const { knownSpenders, polledAt } = this
    const began = performance.now()
    const node = signal ? this.node.within({ signal }) : this.node
    const isFresh =
      knownSpenders !== null && began - polledAt < STALE_AFTER_MS && began - this.reloadedAt < RELOAD_EVERY_MS
    if (!isFresh) this.reloadedAt = began
    // Stays null after an exception, so that the next poll reloads the table.
    this.knownSpenders = null
    const before = isFresh ? knownSpenders : new Set(await listSpenders(this.sql))
    const listing = performance.now()
    const now = new Set(await node.mempoolTxids())
    const listed = performance.now()
    const unseen = now.difference(before)
    const isMany = unseen.size > BATCH_SIZE
    const ordered = isMany ? await this.mostUrgentFirst(unseen, node) : [...unseen]
    let read = 0
    for await (const batch of ahead(node.transactions(ordered, BATCH_SIZE))) {
      const spends: Spend[] = []
      for (const [spender, tx] of batch) {
        // The transaction has left the mempool. Forget it, so that it is fetched if it returns.
        if (!tx) now.delete(spender)
        else for (const { txid, vout } of tx.inputs) spends.push({ txid, vout, spender })
      }
      await this.record([], spends)
      read += batch.length
      if (isMany) await this.recordProgress(ordered.length - read)
      signal?.throwIfAborted()
      if (read < ordered.length && performance.now() - began > this.lookMilliseconds) break
    }
    this.unfinished = read < ordered.length
    if (this.unfinished) {
      for (const txid of ordered.slice(read)) now.delete(txid)
      this.knownSpenders = now.union(before)
      this.backoffUntil = 0
      this.polledAt = performance.now()
      return true
    }
    // Drop old spends last, so that a coin with a replaced spender never looks unspent.
    const leftTxids = [...before.difference(now)]
    const atTip = leftTxids.length > 0 && (await isAtTip(this.sql, node))
    if (atTip) await this.record(leftTxids, [])
    if (!(await this.recordPoll(now.size, isFresh))) return this.look(signal)
    // Behind the tip, no spends were dropped.
    this.knownSpenders = atTip ? now : now.union(before)
    this.polledAt = performance.now()
    const listMilliseconds = listed - listing
    this.backoffUntil =
      listMilliseconds < SLOW_LISTING_MS ? 0 : this.polledAt + Math.min(4 * listMilliseconds, MAX_BACKOFF_MS)
    return unseen.size + leftTxids.length > 0
  }

  /** Returns the transactions that spend coins of live orders, then the others. */
  private async mostUrgentFirst(txids: ReadonlySet<string>, node: ChainSource): Promise<string[]> {
    const urgent = new Set<string>()
    for (const watcher of this.watchers)
      for await (const coins of watcher.orderCoins(this.sql))
        for (const spender of await node.spendersInMempool(coins))
          if (spender !== null && txids.has(spender)) urgent.add(spender)
    return [...urgent, ...txids.difference(urgent)]
  }

  /** Returns false if the table was emptied since an earlier poll that this one relied on. */
  private async recordPoll(count: number, reliesOnEarlier: boolean): Promise<boolean> {
    const at = performance.now()
    if (this.recorded?.count === count && at - this.recorded.at < RECORD_EVERY_MS) return true
    this.recorded = null
    if (!(await recordPoll(this.sql, { transactionCount: count, reliesOnEarlier }))) return false
    this.recorded = { count, at }
    return true
  }

  private async recordProgress(unread: number): Promise<void> {
    this.recorded = null
    await recordProgress(this.sql, unread)
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

const MAX_PORTION = 1000

/** Yields portions of rows. `read` returns at most `rows` rows after `last`, the last row of the previous portion. */
export async function* inPortions<Row>(
  read: (last: Row | undefined, rows: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (
    let rows = await read(undefined, MAX_PORTION);
    rows.length > 0;
    rows = await read(rows.at(-1), MAX_PORTION)
  )
    yield rows
}

/** Yields the values of a source. Requests each value before it yields the previous value. */
export async function* ahead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const values = source[Symbol.asyncIterator]()
  let next = values.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = values.next()
      // Its error is thrown when the value is read.
      next.catch(() => {})
      yield value
    }
  } finally {
    await values.return?.()
  }
}

/** Returns a block consumer that passes spent coins to `handle`. */
export function spentOnBlock(handle: SpentHandler): BlockConsumer {
  return {
    name: 'spent',
    async apply(tx, block) {
      if (block.transactions.length === 1) return
      // Lazy: the handler skips the spends if no order depends on a coin.
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
