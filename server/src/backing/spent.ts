import type { SpentHandler } from '../chain/mempool.ts'
import type { Queryable, Transaction } from '../db/connect.ts'
import { isAnyBacking, listResting } from './queries.ts'

/** Offers of one kind, as those who rest on coins: which of some are active, and how one ends. */
export interface RestingKind {
  activeOf(sql: Queryable, offerIds: readonly string[]): Promise<string[]>
  end(tx: Transaction, offerId: string, why: { reason: string; now: Date }): Promise<unknown>
}

/**
 * Ends the offers, of all kinds, that rest on a coin which is spent: they can settle no more, whatever becomes of the
 * spending.
 */
export function endsResting(kinds: readonly RestingKind[]): SpentHandler {
  return async (tx, spent, now) => {
    if (!(await isAnyBacking(tx))) return
    const resting = await listResting(tx, [...spent])
    if (resting.length === 0) return
    const ids = resting.map((each) => each.offerId)
    for (const { activeOf, end } of kinds) {
      const active = new Set(await activeOf(tx, ids))
      for (const { offerId, txid, vout, spender } of resting)
        if (active.has(offerId))
          await end(tx, offerId, { reason: `${txid}:${vout} is spent in ${spender}`, now })
    }
  }
}
