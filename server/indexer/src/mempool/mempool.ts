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

/** Called with coins that were just spent, in the database transaction that records the spends. */
export type SpentHandler = (tx: Transaction, spent: Iterable<Spend>, now: Date) => Promise<void>

/** Transactions that left the mempool (mined, replaced or evicted) and the coins they spent. */
export interface DroppedSpends {
  coins: readonly Outpoint[]
  txids: readonly string[]
}

/** Called when coins are spent in the mempool, and when such a spend is dropped: the coin may then be unspent again. */
export interface CoinWatcher {
  spent: SpentHandler
  spendsDropped(tx: Transaction, dropped: DroppedSpends, now: Date): Promise<void>
}

/** If the last poll ended longer ago than this, reload the table: another process may have polled in the meantime. */
const FORGETS_MILLISECONDS = 10_000
/** Reload the table at least this often, for the same reason. */
const REREADS_MILLISECONDS = 30_000
/** Transactions fetched per batch. */
const BATCH_SIZE = 500
/** If listing txids takes longer than this, in milliseconds, back off for four times as long, up to `MAX_REST`. */
const LONG_LIST = 500
const MAX_REST = 5000

/**
 * Polls the node's mempool and mirrors its spends into `mempool_spends`. Watchers run in the same database transaction as each change. When
 * a transaction leaves the mempool, its spends stay in the table until the index reaches the node's tip. Otherwise a mined spend would look
 * unspent until its block is indexed.
 */
export class MempoolWatcher {
  private readonly sql: Sql
  private readonly node: ChainSource
  private readonly watchers: readonly CoinWatcher[]
  private known: Set<string> | null = null
  private lookedAt = 0
  private readAt = 0
  private restsUntil = 0

  constructor(sql: Sql, node: ChainSource, watchers: readonly CoinWatcher[]) {
    this.sql = sql
    this.node = node
    this.watchers = watchers
  }

  /** True while backing off because the node was slow to list its mempool. */
  get rests(): boolean {
    return performance.now() < this.restsUntil
  }

  /** Polls once. Throws if `signal` aborts; finished batches are kept, and the next poll resumes from the table. */
  async look(signal?: AbortSignal): Promise<void> {
    const { known, lookedAt } = this
    const began = performance.now()
    const node = signal ? this.node.within({ signal }) : this.node
    const fresh =
      known && began - lookedAt < FORGETS_MILLISECONDS && began - this.readAt < REREADS_MILLISECONDS
    if (!fresh) this.readAt = began
    // Stays null if anything below throws, so the next poll reloads the table.
    this.known = null
    const before = fresh ? known : new Set(await listSpenders(this.sql))
    const listing = performance.now()
    const now = new Set(await node.mempoolTxids())
    const listed = performance.now()
    const unseen = [...now.difference(before)]
    let read = 0
    // In batches: the first poll of a full mempool can take minutes, and may be aborted.
    for await (const part of node.transactions(unseen, BATCH_SIZE)) {
      const spends: Spend[] = []
      for (const [spender, tx] of part) {
        // It left the mempool since it was listed. Forget it, so that it is fetched if it comes back.
        if (!tx) now.delete(spender)
        else for (const { txid, vout } of tx.inputs) spends.push({ txid, vout, spender })
      }
      await this.note([], spends)
      read += part.length
      if (unseen.length > BATCH_SIZE) await recordProgress(this.sql, unseen.length - read)
      signal?.throwIfAborted()
    }
    // Record new spends before dropping old ones, so a coin whose spender was replaced never looks unspent.
    const gone = [...before.difference(now)]
    const atTip = gone.length > 0 && (await isAtTip(this.sql, node))
    if (atTip) await this.note(gone, [])
    await recordPoll(this.sql, now.size)
    // If the index is behind the tip, the old spends are still in the table.
    this.known = atTip ? now : now.union(before)
    this.lookedAt = performance.now()
    const listMilliseconds = listed - listing
    this.restsUntil =
      listMilliseconds < LONG_LIST ? 0 : this.lookedAt + Math.min(4 * listMilliseconds, MAX_REST)
  }

  private note(gone: readonly string[], spends: readonly Spend[]): Promise<void> {
    return inTransaction(this.sql, async (tx) => {
      await lockMempool(tx)
      const dropped = gone.length > 0 ? { coins: await deleteSpends(tx, gone), txids: gone } : null
      await insertSpends(tx, spends)
      const now = new Date()
      for (const watcher of this.watchers) {
        await watcher.spent(tx, spends, now)
        if (dropped) await watcher.spendsDropped(tx, dropped, now)
      }
    })
  }
}

/** A block consumer that passes the coins spent in each block to `handle`. */
export function spentOnBlock(handle: SpentHandler): BlockConsumer {
  return {
    name: 'spent',
    async apply(tx, block) {
      if (block.transactions.length === 1) return
      // Lazy: the handler does not read the spends if no order depends on any coin.
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
