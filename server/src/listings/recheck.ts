import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { CoinWatcher } from '../chain/mempool.ts'
import { findLook } from '../chain/mempool-queries.ts'
import type { Context } from '../context.ts'
import { inTransaction, type Transaction } from '../db/connect.ts'
import { reviveCoins } from '../market-coins/queries.ts'
import { moveListing } from './lifecycle.ts'
import { listMisplaced, listPossibleAgain, type Misplaced, type WhichListings } from './placement-queries.ts'

/**
 * A live listing is where chain, mempool and trades put it, and nowhere else: hidden while a trade has it in hand or a
 * transaction that is not in a block yet spends its coin, pending while its coin is not in a block, else in the book. So
 * whatever happened, or was taken back, looking again is enough.
 */
export async function recheckListings(
  tx: Transaction,
  which: WhichListings,
  why: { now: Date; height?: number; reason?: string },
): Promise<void> {
  for (const listing of await listMisplaced(tx, which))
    await moveListing(tx, listing.listingId, listing.wanted, {
      ...why,
      reason: why.reason ?? reasonOf(listing),
    })
}

/** Listings of inscriptions that the chain had made impossible come back where it makes them possible again. */
export async function reviveListings(
  tx: Transaction,
  inscriptionIds: readonly string[],
  why: { now: Date; height?: number },
): Promise<void> {
  for (const listing of await listPossibleAgain(tx, inscriptionIds, why.now)) {
    await reviveCoins(tx, listing.anchorUtxoId, listing.recoveryHandle)
    await moveListing(tx, listing.listingId, listing.wanted, {
      ...why,
      reason: 'its inscription is where it was listed again',
    })
  }
}

function reasonOf({ wanted, spender }: Misplaced): string {
  if (wanted === 'buyable') return 'its coin is in a block and unspent'
  if (wanted === 'pending_public') return 'its coin is not in a block'
  return spender
    ? `its coin is spent in ${spender}, which is not in a block yet`
    : 'a trade of it is under way'
}

/** Looks at those that wait once more: what was missed meanwhile is made up for. */
export async function recheckWaiting({ sql, clock }: Pick<Context, 'sql' | 'clock'>): Promise<void> {
  // After a crash nobody knows what the mempool spends until somebody has looked.
  if (((await findLook(sql))?.ageSeconds ?? null) === null) return
  await inTransaction(sql, (tx) => recheckListings(tx, 'waiting', { now: clock() }))
}

/** Follows what the mempool spends and lets go. */
export const listingsInMempool: CoinWatcher = {
  spent: (tx, spends, now) => recheckCoins(tx, [...spends], now),
  released: (tx, { coins }, now) => recheckCoins(tx, coins, now),
}

async function recheckCoins(tx: Transaction, coins: readonly Outpoint[], now: Date): Promise<void> {
  if (coins.length > 0) await recheckListings(tx, { coins }, { now })
}
