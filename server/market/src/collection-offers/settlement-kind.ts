import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { CollectionOfferTerms } from '@ordbook/bitcoin/trade/collection-offer.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { findFinalTime } from '@ordbook/indexer/inscriptions/queries.ts'
import { findBinding } from '../auth/queries.ts'
import { unlockListing } from '../listings/lock.ts'
import { insertSale } from '../sales/queries.ts'
import { deleteBacking, insertBacking } from '../settlements/backing-queries.ts'
import type { SettlementKind } from '../settlements/kinds.ts'
import { dependentCollectionOffers, moveCollectionOffer } from './lifecycle.ts'
import { findByFill } from './queries.ts'

export const fillKind: SettlementKind = {
  name: 'fill',
  orders: [dependentCollectionOffers],
  async revoked({ sql, guardian }, { settlementId }) {
    const { offerId, secretHash } = (await findByFill(sql, settlementId))!
    return (await guardian.revoked([secretHash])).map(() => offerId)
  },
  async sent(tx, { settlementId }, now) {
    const offer = (await findByFill(tx, settlementId))!
    await moveCollectionOffer(tx, offer.offerId, 'filled', { reason: null, now })
  },
  async failed(tx, { settlementId }, { failure, gone, refused, revoked, now }) {
    const offer = (await findByFill(tx, settlementId))!
    const reason = `the fill failed: ${failure}`
    const { payments } = unpack<CollectionOfferTerms>(offer.terms)
    const backing = new Set(payments.map(formatOutpoint))
    // Revive the offer if only the seller's coin made the fill fail.
    const isUnexpired = offer.revokedAt === null && offer.expiresAt > (await findFinalTime(tx, now))
    const isBacking = (coin: Outpoint) => backing.has(formatOutpoint(coin))
    const unexecutable = revoked.length > 0 || refused.some(isBacking)
    const isReopened = isUnexpired && !unexecutable && !gone.some(isBacking)
    if (isReopened && (await moveCollectionOffer(tx, offer.offerId, 'active', { reason: null, now })))
      await insertBacking(tx, offer.offerId, payments)
    else await moveCollectionOffer(tx, offer.offerId, 'invalidated', { reason, now })
    if (unexecutable) await deleteBacking(tx, [offer.offerId])
    await unlockListing(tx, offer.filledInscriptionId!, { reason, now })
    return unexecutable ? 'the offer has ended' : null
  },
  async confirmed(tx, { settlementId, settlementTxid }, block) {
    const offer = (await findByFill(tx, settlementId))!
    const maker = await findBinding(tx, offer.walletBindingId)
    await insertSale(tx, {
      txid: settlementTxid,
      inscriptionId: offer.filledInscriptionId!,
      collectionId: offer.collectionId,
      sellerScript: offer.sellerScript,
      buyerScript: maker!.ordinalsScript,
      priceSats: offer.priceSats,
      soldAt: block.minedAt,
      height: block.height,
    })
  },
}
