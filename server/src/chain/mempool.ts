import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { inTransaction, type Sql, type Transaction } from '../db/connect.ts'
import { type BlockConsumer, isAtTip } from './follower.ts'
import {
  deleteSpends,
  insertSpends,
  listSpenders,
  lockMempool,
  noteLook,
  noteProgress,
  type Spend,
} from './mempool-queries.ts'
import type { ChainSource } from './source.ts'

/** Someone for whom it matters that coins are spent: by the mempool, a block, or a package of ours that is out. */
export type SpentHandler = (tx: Transaction, spent: Iterable<Spend>, now: Date) => Promise<void>

/** What transactions that left the mempool had spent, and themselves: in a block, or gone with all that they made. */
export interface DroppedSpends {
  coins: readonly Outpoint[]
  txids: readonly string[]
}

/** Someone who wants to know both ways: a coin that a transaction let go of may be spent by nothing then. */
export interface CoinWatcher {
  spent: SpentHandler
  spendsDropped(tx: Transaction, dropped: DroppedSpends, now: Date): Promise<void>
}

/** After so long without a look another process may have looked. */
const FORGETS_MILLISECONDS = 10_000
/** And now and then what is known is what is written down, whoever wrote it. */
const REREADS_MILLISECONDS = 30_000
/** Transactions that are read at once. */
const PART = 500
/** A list of txids that takes longer than this, in milliseconds, is asked for less often, but at least every `MOST_REST`. */
const LONG_LIST = 500
const MOST_REST = 5000

/**
 * Looks at the node's mempool again and again and keeps `mempool_spends`: what is new is read, what is gone is dropped.
 * Whoever rests on a coin hears of its spending, and of its release, in the same transaction. What has left the mempool
 * for a block is dropped only once the index has that block: a coin is never free in between.
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

  /** Looks once. `signal` ends it after the part at hand; the next look goes on from what is written down. */
  async look(signal?: AbortSignal): Promise<void> {
    const { known, lookedAt } = this
    const began = performance.now()
    if (began < this.restsUntil) return
    const node = signal ? this.node.within({ signal }) : this.node
    const fresh =
      known && began - lookedAt < FORGETS_MILLISECONDS && began - this.readAt < REREADS_MILLISECONDS
    if (!fresh) this.readAt = began
    // Whatever goes wrong on the way: the next look begins from what is written down.
    this.known = null
    const before = fresh ? known : new Set(await listSpenders(this.sql))
    const listing = performance.now()
    const now = new Set(await node.mempoolTxids())
    const listed = performance.now()
    const unseen = [...now.difference(before)]
    let read = 0
    // A part at a time: the first look at a full mempool is long, and may be cut short.
    for await (const part of node.transactions(unseen, PART)) {
      const spends: Spend[] = []
      for (const [spender, tx] of part) {
        // Gone already: the next look does not ask for it again.
        if (!tx) now.delete(spender)
        else for (const { txid, vout } of tx.inputs) spends.push({ txid, vout, spender })
      }
      await this.note([], spends)
      read += part.length
      if (unseen.length > PART) await noteProgress(this.sql, unseen.length - read)
      signal?.throwIfAborted()
    }
    // After what is new: a coin whose spender was replaced is never free in between.
    const gone = [...before.difference(now)]
    const atTip = gone.length > 0 && (await isAtTip(this.sql, node))
    if (atTip) await this.note(gone, [])
    await noteLook(this.sql, now.size)
    // What could not be dropped yet is still written down.
    this.known = atTip ? now : now.union(before)
    this.lookedAt = performance.now()
    const listMilliseconds = listed - listing
    this.restsUntil =
      listMilliseconds < LONG_LIST ? 0 : this.lookedAt + Math.min(4 * listMilliseconds, MOST_REST)
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

/** The same for what blocks spend. */
export function spentOnBlock(handle: SpentHandler): BlockConsumer {
  return {
    name: 'spent',
    async apply(tx, block) {
      if (block.transactions.length === 1) return
      // Made only when the handler reads it: most blocks spend no coin that an order depends on.
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
