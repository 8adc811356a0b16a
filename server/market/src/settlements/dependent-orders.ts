import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { inTransaction, type Queryable, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { BlockConsumer } from '@ordbook/indexer/blocks/follower.ts'
import { isAtTip } from '@ordbook/indexer/blocks/follower.ts'
import type { CoinWatcher, SpentHandler } from '@ordbook/indexer/mempool/mempool.ts'
import { holdMempool } from '@ordbook/indexer/mempool/mempool-queries.ts'
import type { BlockSource, CoinSource } from '@ordbook/indexer/node/source.ts'
import {
  deleteBacking,
  isAnyBacking,
  listDependents,
  listToRecheck,
  recheckCoins,
  setAnswers,
  setGone,
} from './backing-queries.ts'

/**
 * A kind of orders that depend on coins (`backing_coins`). Such an order ends when one of its coins is spent, and becomes active again with
 * the coin.
 */
export interface DependentOrders {
  /** Filters ids to active orders of this kind, and locks them, so that they do not end while an acceptance is being stored. */
  lockActive(tx: Transaction, orderIds: readonly string[]): Promise<string[]>
  /** Ends an order because a coin is spent. */
  end(tx: Transaction, orderId: string, why: { reason: string; now: Date }): Promise<unknown>
  /** Reactivates an order that ended because a coin was spent; does nothing if that is not possible. */
  revive(tx: Transaction, orderId: string, now: Date): Promise<unknown>
  /** Orders with rows in `backing_coins` that can neither settle nor become active again. */
  listFinished(sql: Queryable, now: Date): Promise<string[]>
}

/** Ends the orders that depend on a spent coin. */
export function endDependents(kinds: readonly DependentOrders[]): SpentHandler {
  return async (tx, spent, now) => {
    if (!(await isAnyBacking(tx))) return
    const spends = [...spent]
    const dependents = await listDependents(tx, spends)
    if (dependents.length === 0) return
    await setGone(tx, spends)
    const ids = dependents.map((each) => each.offerId)
    for (const { lockActive, end } of kinds) {
      const active = new Set(await lockActive(tx, ids))
      for (const { offerId, spender, ...coin } of dependents)
        if (active.has(offerId)) await end(tx, offerId, { reason: reasonOf(coin, spender), now })
    }
  }
}

const reasonOf = (coin: { txid: string; vout: number }, spender: string) =>
  `${formatOutpoint(coin)} is spent in ${spender}`

/** Ends orders whose coins the mempool spends. The follower checks with the node coins that the mempool no longer spends. */
export const dependentsInMempool = (kinds: readonly DependentOrders[]): CoinWatcher => ({
  spent: endDependents(kinds),
  spendsDropped: (tx, dropped) => recheckCoins(tx, dropped),
})

/** An undone block may remove coins and restore others. */
export const dependentsOnBlock: BlockConsumer = {
  name: 'dependent orders',
  async apply() {},
  undo: (tx) => recheckCoins(tx, 'all'),
}

/** Coins in one question to the node. */
const BATCH_SIZE = 500

/**
 * Checks with the node coins that may be unspent again or gone. Orders whose coins are all unspent become active; orders that lack one end.
 * Works only while the index is at the node's tip, before and after the request.
 */
export async function recheckDependents(
  { sql, node }: { sql: Sql; node: BlockSource & CoinSource },
  kinds: readonly DependentOrders[],
): Promise<void> {
  for (;;) {
    const coins = await listToRecheck(sql, BATCH_SIZE)
    if (coins.length === 0 || !(await isAtTip(sql, node))) return
    const there = await node.areUnspent(coins)
    if (!(await isAtTip(sql, node))) return
    const answered = await inTransaction(sql, async (tx) => {
      await holdMempool(tx)
      const now = new Date()
      const offers = await setAnswers(
        tx,
        coins.map((coin, i) => ({ ...coin, there: there[i]! })),
      )
      const missing = new Map(
        offers.flatMap((each) => (each.gone === null ? [] : [[each.offerId, each] as const])),
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
    // The mempool changed some of these coins in the meantime; the next iteration repeats the request.
    if (coins.length < BATCH_SIZE || answered === 0) return
  }
}

/** Deletes the coins of ended orders that cannot become active again. */
export async function deleteFinishedBacking(
  sql: Sql,
  kinds: readonly DependentOrders[],
  now: Date,
): Promise<void> {
  for (const { listFinished } of kinds) await deleteBacking(sql, await listFinished(sql, now))
}
