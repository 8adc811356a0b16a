import { findBinding } from '../auth/queries.ts'
import { moveListing } from '../listings/lifecycle.ts'
import { listListingsById } from '../listings/queries.ts'
import { recheckListings } from '../listings/recheck.ts'
import { releaseCoins } from '../market-coins/queries.ts'
import { insertSale } from '../sales/queries.ts'
import type { Party } from '../settlements/broadcast.ts'
import { findPurchase, listPurchaseListings } from './queries.ts'

/** What becomes of a purchase: its listings are sold, or buyable again. */
export const purchaseParty: Party = {
  async failed(tx, { settlementId }, { failure, now }) {
    await releaseCoins(tx, settlementId)
    const reason = `the purchase did not settle: ${failure}`
    const listings = await listPurchaseListings(tx, settlementId)
    await recheckListings(tx, { listingIds: listings.map((each) => each.listingId) }, { reason, now })
  },
  async confirmed(tx, { settlementId, settlementTxid }, block) {
    const purchase = (await findPurchase(tx, settlementId))!
    const buyer = await findBinding(tx, purchase.walletBindingId)
    const sold = await listPurchaseListings(tx, settlementId)
    for (const listing of await listListingsById(
      tx,
      sold.map((each) => each.listingId),
    )) {
      const reason = `sold in ${settlementTxid}`
      await moveListing(tx, listing.listingId, 'sold', { reason, now: block.seenAt, height: block.height })
      await insertSale(tx, {
        txid: settlementTxid,
        inscriptionId: listing.inscriptionId,
        collectionId: listing.collectionId,
        sellerScript: listing.sellerScript,
        buyerScript: buyer!.ordinalsScript,
        priceSats: listing.priceSats,
        soldAt: block.minedAt,
        height: block.height,
      })
    }
  },
}
