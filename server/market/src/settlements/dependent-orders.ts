import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { inTransaction, type Queryable, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { BlockConsumer } from '@ordbook/indexer/blocks/block-consumer.ts'
import { isAtTip } from '@ordbook/indexer/blocks/follower.ts'
import { type CoinWatcher, inPortions, type SpentHandler } from '@ordbook/indexer/mempool/mempool.ts'
import { lockMempoolView } from '@ordbook/indexer/mempool/mempool-queries.ts'
import type { BlockSource, CoinSource } from '@ordbook/indexer/node/source.ts'
import {
  deleteBacking,
  isAnyBacking,
  listBackingCoins,
  listDependents,
  listToRecheck,
  markBackingSpent,
  recheckCoins,
  setAnswers,
} from './backing-queries.ts'

/** Orders with backing coins. An order ends when a coin is spent, and becomes active again when the coin is unspent. */
export interface DependentOrders {
  /** Locks and returns active orders while an acceptance is stored. */
  lockActive(tx: Transaction, orderIds: readonly string[]): Promise<string[]>
  end(tx: Transaction, orderId: string, why: { reason: string; now: Date }): Promise<unknown>
  /** Makes an order active again, if possible. */
  revive(tx: Transaction, orderId: string, now: Date): Promise<unknown>
  /** Returns ended orders that still have rows in `backing_coins`. */
  listFinished(sql: Queryable, now: Date): Promise<string[]>
}

/** Returns a handler that ends orders whose coins were spent. */
export function endDependents(kinds: readonly DependentOrders[]): SpentHandler {
  return async (tx, spent, now) => {
    if (!(await isAnyBacking(tx))) return
    const spends = [...spent]
    const dependents = await listDependents(tx, spends)
    if (dependents.length === 0) return
    await markBackingSpent(tx, spends)
    const ids = dependents.map(({ offerId }) => offerId)
    for (const { lockActive, end } of kinds) {
      const active = new Set(await lockActive(tx, ids))
      for (const { offerId, spender, ...coin } of dependents)
        if (active.has(offerId)) await end(tx, offerId, { reason: reasonOf(coin, spender), now })
    }
  }
}

const reasonOf = (coin: { txid: string; vout: number }, spender: string) =>
  `${formatOutpoint(coin)} is spent in ${spender}`

/** Ends orders of coins spent in the mempool. Marks coins of dropped spends for a check. */
export const dependentsInMempool = (kinds: readonly DependentOrders[]): CoinWatcher => ({
  orderCoins: (sql) => inPortions((last, rows) => listBackingCoins(sql, last, rows)),
  spent: endDependents(kinds),
  spendsDropped: (tx, dropped) => recheckCoins(tx, dropped),
})

/** Marks all coins for a check after a reorg. */
export const dependentsOnBlock: BlockConsumer = {
  name: 'dependent orders',
  async apply() {},
  undo: (tx) => recheckCoins(tx, 'all'),
}

const BATCH_SIZE = 500

/**
 * Checks marked coins with the node. Ends orders with a spent coin and revives orders whose coins are all unspent. Does nothing unless the
 * index is at the node's tip.
 */
export async function recheckDependents(
  { sql, node }: { sql: Sql; node: BlockSource & CoinSource },
  kinds: readonly DependentOrders[],
): Promise<void> {
  for (;;) {
    const coins = await listToRecheck(sql, BATCH_SIZE)
    if (coins.length === 0 || !(await isAtTip(sql, node))) return
    const areUnspent = await node.areUnspent(coins)
    if (!(await isAtTip(sql, node))) return
    const checkedCount = await inTransaction(sql, async (tx) => {
      await lockMempoolView(tx)
      const now = new Date()
      const offers = await setAnswers(
        tx,
        coins.map((coin, i) => ({ ...coin, there: areUnspent[i]! })),
      )
      const missing = new Map(
        offers.flatMap((offer) => (offer.gone === null ? [] : [[offer.offerId, offer] as const])),
      )
      for (const { lockActive, end, revive } of kinds) {
        for (const offerId of await lockActive(tx, [...missing.keys()])) {
          const { txid, vout, gone } = missing.get(offerId)!
          await end(tx, offerId, { reason: reasonOf({ txid: txid!, vout: vout! }, gone!), now })
        }
        for (const { offerId, gone } of offers) if (gone === null) await revive(tx, offerId, now)
      }
      return offers.length
    })
    // All coins stay marked if the mempool changed. Stop to avoid an endless loop.
    if (coins.length < BATCH_SIZE || checkedCount === 0) return
  }
}

/** Deletes the backing coins of ended orders. */
export async function deleteFinishedBacking(
  sql: Sql,
  kinds: readonly DependentOrders[],
  now: Date,
): Promise<void> {
  for (const { listFinished } of kinds) await deleteBacking(sql, await listFinished(sql, now))
}
