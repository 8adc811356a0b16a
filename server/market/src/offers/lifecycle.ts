import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { raiseFloors } from '../escrows/queries.ts'
import { listWritten } from '../market-coins/ledger-queries.ts'
import { releaseCoins, retireCoins, reviveCoins } from '../market-coins/queries.ts'
import { backedOrders } from '../settlements/backed-orders.ts'
import { findOffer, findRevivable, insertEvent, insertOffer, lockActiveOf, type NewOffer } from './queries.ts'
import { MOVES, type OfferEventType, type OfferState } from './states.ts'

export async function openOffer(tx: Transaction, row: NewOffer): Promise<void> {
  await insertOffer(tx, row)
  await insertEvent(tx, row, { eventType: 'created', reason: null, occurredAt: row.createdAt })
}

const orders = backedOrders<OfferState>({
  table: 'offers',
  moves: MOVES,
  lockActive: lockActiveOf,
  async ended(tx, offerId, to, { reason, now, floor }) {
    const offer = (await findOffer(tx, offerId))!
    await insertEvent(tx, offer, { eventType: to as OfferEventType, reason, occurredAt: now })
    if (offer.anchorUtxoId && to !== 'accepted') await retireCoins(tx, [offer.anchorUtxoId], now)
    // An invalidated offer can become active again. For others the signer must reject the leg.
    if (offer.transferTxid && to !== 'accepted' && to !== 'invalidated') {
      await raiseFloors(tx, [{ txid: offer.transferTxid, vout: 0 }], floor)
      // A transfer that was never signed needs no recovery.
      if (offer.transferHeight === null && (await listWritten(tx, [offer.transferTxid])).length === 0)
        await releaseCoins(tx, [offer.recoveryHandle!])
    }
  },
  async isRevivable(tx, offerId, now) {
    const offer = await findRevivable(tx, offerId, now)
    if (!offer?.anchorUtxoId) return offer !== null
    return (await reviveCoins(tx, [{ anchorUtxoId: offer.anchorUtxoId, recoveryHandle: null }])).size > 0
  },
  async revived(tx, offerId, now) {
    const reason = 'its coins are unspent again'
    await insertEvent(tx, (await findOffer(tx, offerId))!, { eventType: 'created', reason, occurredAt: now })
  },
})

export const { move: moveOffer, end: endOffer, expire: expireOffers, dependents: dependentOffers } = orders
