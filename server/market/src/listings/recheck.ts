import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { type CoinWatcher, inPortions } from '@ordbook/indexer/mempool/mempool.ts'
import { findLastPoll, type Spend } from '@ordbook/indexer/mempool/mempool-queries.ts'
import type { Context } from '../context.ts'
import { listExits, raiseFloors } from '../escrows/queries.ts'
import { setTransferCause } from '../market-coins/ledger-queries.ts'
import { reviveCoins } from '../market-coins/queries.ts'
import { moveListing, moveListings, noteListings } from './lifecycle.ts'
import {
  type ListedCoin,
  type ListingFilter,
  listListedCoins,
  listMisplaced,
  lockRevivable,
  type Misplaced,
} from './placement-queries.ts'
import { lockLiveListing } from './queries.ts'

/** Recomputes the state of active listings from chain, mempool and trades. */
export async function recheckListings(
  tx: Transaction,
  which: ListingFilter,
  why: { now: Date; height?: number; reason?: string },
): Promise<void> {
  const isOver = ({ isEnded, wanted }: Misplaced) => isEnded && wanted !== 'hidden_locked'
  const misplaced = await listMisplaced(tx, which)
  for (const [to, listings] of Map.groupBy(misplaced, (each) => (isOver(each) ? 'cancelled' : each.wanted))) {
    const moves = listings.map((listing) => ({
      listingId: listing.listingId,
      reason: isOver(listing) ? 'withdrawn from escrow by its seller' : (why.reason ?? reasonOf(listing)),
    }))
    await moveListings(tx, moves, to, why)
  }
}

export async function reviveListings(
  tx: Transaction,
  inscriptionIds: readonly string[],
  why: { now: Date; height?: number },
): Promise<void> {
  const revivable = await lockRevivable(tx, inscriptionIds, why.now)
  const reason = 'its inscription is back in the listed coin'
  for (const [to, listings] of Map.groupBy(revivable, ({ wanted }) => wanted)) {
    const anchored = await reviveCoins(tx, listings)
    // A transfer that has not confirmed needs its anchor, which the market may have spent.
    const revived = listings.filter((each) => each.transferHeight !== null || anchored.has(each.anchorUtxoId))
    await moveListings(
      tx,
      revived.map(({ listingId }) => ({ listingId, reason })),
      to,
      { ...why, from: ['invalidated'] },
    )
  }
}

function reasonOf({ wanted, spender }: Misplaced): string {
  if (wanted === 'buyable') return 'its coin is confirmed and unspent'
  if (wanted === 'pending_public') return 'its coin is unconfirmed'
  return spender ? `its coin is spent by unconfirmed transaction ${spender}` : 'its purchase is in progress'
}

/** Rechecks hidden and pending listings in case of a missed event. */
export async function recheckWaiting({ sql, clock }: Pick<Context, 'sql' | 'clock'>): Promise<void> {
  // After a crash the mempool table is incomplete until the first poll.
  if (((await findLastPoll(sql))?.ageSeconds ?? null) === null) return
  await inTransaction(sql, (tx) => recheckListings(tx, 'waiting', { now: clock() }))
}

export const listingsInMempool: CoinWatcher = {
  orderCoins: (sql) => inPortions<ListedCoin>((last, rows) => listListedCoins(sql, last, rows)),
  async spent(tx, spends, now) {
    const all = [...spends]
    await delistExits(tx, all, now)
    await recheckCoins(tx, all, now)
  },
  spendsDropped: (tx, { coins }, now) => recheckCoins(tx, coins, now),
}

/** Ends listings whose escrow coin the owner spent. During a settlement, the transfer is charged to the owner. */
async function delistExits(tx: Transaction, spends: readonly Spend[], now: Date): Promise<void> {
  for (const { spender, ...escrow } of await listExits(tx, spends)) {
    const { txid, vout, inscriptionId, walletBindingId } = escrow
    const live = await lockLiveListing(tx, inscriptionId)
    await raiseFloors(tx, [{ txid, vout }])
    if (!live) continue
    const reason = `withdrawn from escrow by its seller in ${spender}`
    if (!(await moveListing(tx, live.listingId, 'cancelled', { reason, now }))) {
      await noteListings(tx, [live], { reason, now })
      await setTransferCause(tx, [txid], { walletBindingId, orderId: live.listingId })
    }
  }
}

async function recheckCoins(tx: Transaction, coins: readonly Outpoint[], now: Date): Promise<void> {
  if (coins.length > 0) await recheckListings(tx, { coins }, { now })
}
