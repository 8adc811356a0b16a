import { findBinding } from '../auth/queries.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import { moveListing } from '../listings/lifecycle.ts'
import { listListingsById } from '../listings/queries.ts'
import { insertSale } from '../sales/queries.ts'
import { confirmPurchases, listPurchaseListings, setCoinsLive, unconfirmPurchases } from './queries.ts'

/** A settlement in a block is a sale, whatever we believed of the purchase before. */
export const purchasesOnBlock: BlockConsumer = {
  name: 'purchases',
  async apply(tx, block) {
    const txids = block.transactions.map((each) => each.txid)
    for (const purchase of await confirmPurchases(tx, txids, block.height)) {
      await setCoinsLive(tx, purchase.purchaseId, false)
      const buyer = await findBinding(tx, purchase.walletBindingId)
      const sold = await listPurchaseListings(tx, purchase.purchaseId)
      for (const listing of await listListingsById(
        tx,
        sold.map((each) => each.listingId),
      )) {
        const reason = `sold in ${purchase.settlementTxid}`
        await moveListing(tx, listing.listingId, 'sold', { reason, now: block.seenAt, height: block.height })
        await insertSale(tx, {
          saleType: 'internal',
          txid: purchase.settlementTxid,
          inscriptionId: listing.inscriptionId,
          collectionId: listing.collectionId,
          sellerScript: listing.sellerScript,
          buyerScript: buyer!.ordinalsScript,
          priceSats: listing.priceSats,
          soldAt: block.minedAt,
          height: block.height,
        })
      }
    }
  },
  async undo(tx, height) {
    for (const purchaseId of await unconfirmPurchases(tx, height)) await setCoinsLive(tx, purchaseId, true)
  },
}
