import { findFinalTime } from '../chain/queries.ts'
import type { Transaction } from '../db/connect.ts'
import { unlockListing } from '../listings/lock.ts'
import { insertSale } from '../sales/queries.ts'
import type { Party } from '../settlements/broadcast.ts'
import type { SettlementRow } from '../settlements/queries.ts'
import { moveOffer } from './lifecycle.ts'
import { findBySettlement, type OfferRow } from './queries.ts'

/** The offer or counter of a settlement. */
async function offerOf(tx: Transaction, { settlementId }: SettlementRow): Promise<OfferRow> {
  return (await findBySettlement(tx, settlementId))!
}

/** What becomes of an accepted offer or counter. */
export const offerParty: Party = {
  async sent(tx, settlement, now) {
    const offer = await offerOf(tx, settlement)
    const moved = await moveOffer(tx, offer.offerId, 'accepted', { reason: null, now })
    if (!moved || offer.parentOfferId === null) return
    const reason = 'its buyer accepted a counter'
    await moveOffer(tx, offer.parentOfferId, 'cancelled', { reason, now })
  },
  async failed(tx, settlement, { failure, gone, now }) {
    const offer = await offerOf(tx, settlement)
    const reason = `the settlement failed: ${failure}`
    const open =
      gone.length === 0 && offer.transferHeight === null && offer.expiresAt > (await findFinalTime(tx, now))
    // Once it was out, its parties were told that it is accepted: that it was not is final.
    if (!(open && (await moveOffer(tx, offer.offerId, 'active', { reason: null, now }))))
      await moveOffer(tx, offer.offerId, 'invalidated', { reason, now })
    await unlockListing(tx, offer.inscriptionId, { reason, now })
  },
  async confirmed(tx, settlement, block) {
    const offer = await offerOf(tx, settlement)
    await insertSale(tx, {
      txid: settlement.settlementTxid,
      inscriptionId: offer.inscriptionId,
      collectionId: offer.collectionId,
      sellerScript: offer.sellerScript,
      buyerScript: offer.buyerScript,
      priceSats: offer.priceSats,
      soldAt: block.minedAt,
      height: block.height,
    })
  },
}
