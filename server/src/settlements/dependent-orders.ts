import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import { isAtTip } from '../chain/follower.ts'
import type { CoinWatcher, SpentHandler } from '../chain/mempool.ts'
import { holdMempool } from '../chain/mempool-queries.ts'
import type { BlockSource, CoinSource } from '../chain/source.ts'
import { inTransaction, type Sql, type Transaction } from '../db/connect.ts'
import {
  isAnyBacking,
  listResting,
  listToRecheck,
  recheckCoins,
  setAnswers,
  setGone,
} from './backing-queries.ts'

/**
 * Offers of one kind, as those who rest on coins: which of some are active, and stay so until the transaction ends, or an
 * acceptance that is written meanwhile would be ended with them; how one ends; and how one that ended because a coin was
 * gone comes back.
 */
export interface RestingKind {
  activeOf(tx: Transaction, offerIds: readonly string[]): Promise<string[]>
  end(tx: Transaction, offerId: string, why: { reason: string; now: Date }): Promise<unknown>
  revive(tx: Transaction, offerId: string, now: Date): Promise<unknown>
}

/** Ends the offers, of all kinds, that rest on a coin which is spent: as long as it is, they cannot settle. */
export function endsResting(kinds: readonly RestingKind[]): SpentHandler {
  return async (tx, spent, now) => {
    if (!(await isAnyBacking(tx))) return
    const spends = [...spent]
    const resting = await listResting(tx, spends)
    if (resting.length === 0) return
    await setGone(tx, spends)
    const ids = resting.map((each) => each.offerId)
    for (const { activeOf, end } of kinds) {
      const active = new Set(await activeOf(tx, ids))
      for (const { offerId, spender, ...coin } of resting)
        if (active.has(offerId)) await end(tx, offerId, { reason: reasonOf(coin, spender), now })
    }
  }
}

const reasonOf = (coin: { txid: string; vout: number }, spender: string) =>
  `${formatOutpoint(coin)} is spent in ${spender}`

/** The same for what the mempool spends; what it lets go of is asked of the node. */
export const restingInMempool = (kinds: readonly RestingKind[]): CoinWatcher => ({
  spent: endsResting(kinds),
  spendsDropped: (tx, dropped) => recheckCoins(tx, dropped),
})

/** A block that goes may take coins along, and give others back. */
export const restingOnBlock: BlockConsumer = {
  name: 'resting',
  async apply() {},
  undo: (tx) => recheckCoins(tx, 'all'),
}

/** Coins that the node is asked of at once. */
const PART = 500

/**
 * Asks the node of the coins that may be there again, or no more: offers whose coins are all there come back, those that
 * miss one end. Only while the index holds the node's tip, before and after.
 */
export async function recheckResting(
  { sql, node }: { sql: Sql; node: BlockSource & CoinSource },
  kinds: readonly RestingKind[],
): Promise<void> {
  for (;;) {
    const coins = await listToRecheck(sql, PART)
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
      for (const { activeOf, end, revive } of kinds) {
        for (const offerId of await activeOf(tx, [...missing.keys()])) {
          const { txid, vout, gone } = missing.get(offerId)!
          await end(tx, offerId, { reason: reasonOf({ txid: txid!, vout: vout! }, gone!), now })
        }
        for (const { offerId, gone } of offers) if (gone === null) await revive(tx, offerId, now)
      }
      return offers.length
    })
    // Of some something else was heard meanwhile: those are for the next time.
    if (coins.length < PART || answered === 0) return
  }
}
