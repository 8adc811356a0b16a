import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { escrowCoinOf, type ListingTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { findBinding } from '../auth/queries.ts'
import { endedOf, legOf } from '../escrows/legs.ts'
import { moveListing } from '../listings/lifecycle.ts'
import { type ListingRow, listListingsById } from '../listings/queries.ts'
import { recheckListings } from '../listings/recheck.ts'
import { releaseCoins } from '../market-coins/queries.ts'
import { insertSale } from '../sales/queries.ts'
import type { SettlementKind } from '../settlements/kinds.ts'
import { findBuyer, listPurchaseListings } from './queries.ts'

export const purchaseKind: SettlementKind = {
  name: 'purchase',
  orders: [],
  async revoked({ sql, signer }, { settlementId }) {
    const listings = await listListingsOf(sql, settlementId)
    const legs = listings.map(({ listingId, terms }) => ({
      ...legOf(unpack<ListingTerms>(terms)),
      listingId,
    }))
    return (await endedOf(signer, legs)).map(({ listingId }) => listingId)
  },
  async failed(tx, { settlementId }, { failure, refused, revoked, now }) {
    await releaseCoins(tx, [settlementId])
    const listings = await listListingsOf(tx, settlementId)
    const listingIds = listings.map(({ listingId }) => listingId)
    for (const listingId of revoked) await moveListing(tx, listingId, 'cancelled', { reason: failure, now })
    const unsaleable = listings.filter((listing) => isRefused(listing, refused))
    for (const { listingId } of unsaleable) {
      const reason = `the network rejected the seller's signatures: ${failure}`
      await moveListing(tx, listingId, 'cancelled', { reason, now })
    }
    const reason = `the purchase did not settle: ${failure}`
    await recheckListings(tx, { listingIds }, { reason, now })
    if (unsaleable.length === 0) return null
    const ids = unsaleable.map(({ inscriptionId }) => inscriptionId).join(', ')
    return `the listing of ${ids} has ended; buy without it`
  },
  async confirmed(tx, { settlementId, settlementTxid }, block) {
    const buyer = await findBinding(tx, (await findBuyer(tx, settlementId))!)
    for (const listing of await listListingsOf(tx, settlementId)) {
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

async function listListingsOf(sql: Queryable, settlementId: string): Promise<ListingRow[]> {
  const listings = await listPurchaseListings(sql, settlementId)
  return listListingsById(
    sql,
    listings.map(({ listingId }) => listingId),
  )
}

/** Returns true if the network rejected a coin that the seller signed. */
function isRefused(listing: ListingRow, refused: readonly Outpoint[]): boolean {
  const terms = unpack<ListingTerms>(listing.terms)
  const signed = [terms.inscriptionCoin, escrowCoinOf(terms)].map(formatOutpoint)
  return refused.some((coin) => signed.includes(formatOutpoint(coin)))
}
