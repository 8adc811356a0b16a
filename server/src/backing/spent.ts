import type { SpentHandler } from '../chain/mempool.ts'
import type { Queryable, Transaction } from '../db/connect.ts'
import { listResting } from './queries.ts'

/**
 * Ends the offers of one kind that rest on a coin which is spent: they can settle no more, whatever becomes of the
 * spending. `activeOf` says which of some offers are of this kind and active.
 */
export function endsResting(
  activeOf: (sql: Queryable, offerIds: readonly string[]) => Promise<string[]>,
  end: (tx: Transaction, offerId: string, why: { reason: string; now: Date }) => Promise<unknown>,
): SpentHandler {
  return async (tx, spent, now) => {
    const resting = await listResting(tx, spent)
    if (resting.length === 0) return
    const ids = resting.map((each) => each.offerId)
    const active = new Set(await activeOf(tx, ids))
    for (const { offerId, txid, vout, spender } of resting)
      if (active.has(offerId))
        await end(tx, offerId, { reason: `${txid}:${vout} is spent in ${spender}`, now })
  }
}
