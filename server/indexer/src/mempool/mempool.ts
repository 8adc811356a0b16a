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

/** Handles coins that were spent: by the mempool, a block, or a package that the market sent. */
export type SpentHandler = (tx: Transaction, spent: Iterable<Spend>, now: Date) => Promise<void>

/** Transactions that left the mempool, into a block or for good, and the coins that they had spent. */
export interface DroppedSpends {
  coins: readonly Outpoint[]
  txids: readonly string[]
}

/** Handles both directions: after a spend was dropped, its coin may be unspent again. */
export interface CoinWatcher {
  spent: SpentHandler
  spendsDropped(tx: Transaction, dropped: DroppedSpends, now: Date): Promise<void>
}

/** After so long without a look, another process may have written the table. */
const FORGETS_MILLISECONDS = 10_000
/** The table is read again this often, since another process may have written it. */
const REREADS_MILLISECONDS = 30_000
/** Transactions that are read at once. */
const PART = 500
/** A node that lists txids more slowly than this, in milliseconds, is polled less often, but at least every `MOST_REST`. */
const LONG_LIST = 500
const MOST_REST = 5000

/**
 * Polls the node's mempool and keeps `mempool_spends`: it reads new transactions and drops those that left. Handlers of a coin
 * run in the same transaction when it is spent and when its spend is dropped. A spend that left the mempool for a block is
 * dropped only once the index has that block, so that its coin is never free in between.
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

  /** Whether the node took long to list its mempool just now, and should not be polled yet. */
  get rests(): boolean {
    return performance.now() < this.restsUntil
  }

  /** Polls once. `signal` ends it after the current part; the next poll resumes from the table. */
  async look(signal?: AbortSignal): Promise<void> {
    const { known, lookedAt } = this
    const began = performance.now()
    const node = signal ? this.node.within({ signal }) : this.node
    const fresh =
      known && began - lookedAt < FORGETS_MILLISECONDS && began - this.readAt < REREADS_MILLISECONDS
    if (!fresh) this.readAt = began
    // If anything fails below, the next poll resumes from the table.
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
        // Gone already: the next poll does not ask for it again.
        if (!tx) now.delete(spender)
        else for (const { txid, vout } of tx.inputs) spends.push({ txid, vout, spender })
      }
      await this.note([], spends)
      read += part.length
      if (unseen.length > PART) await recordProgress(this.sql, unseen.length - read)
      signal?.throwIfAborted()
    }
    // After the new ones, so that a coin whose spender was replaced is never free in between.
    const gone = [...before.difference(now)]
    const atTip = gone.length > 0 && (await isAtTip(this.sql, node))
    if (atTip) await this.note(gone, [])
    await recordPoll(this.sql, now.size)
    // Spends that could not be dropped yet are still in the table.
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
