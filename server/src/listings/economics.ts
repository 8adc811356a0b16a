import { dustLimitOf } from '@ordbook/bitcoin/address.ts'
import { type Economics, economicsOf } from '@ordbook/bitcoin/trade/economics.ts'
import type { TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { CollectionRow } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { refuseBitcoin } from '../engine/refuse.ts'

/** What a listing pays to whom; fixed when it is listed, whatever fees and royalties become later. */
export interface ListingEconomics extends Economics {
  buyerFeeBps: number
  royaltyScript: Uint8Array | null
}

/** Splits a price by the fees and royalties of today. Throws invalid when they leave the seller less than nothing. */
export function listingEconomics(
  { config }: Pick<Context, 'config'>,
  collection: CollectionRow,
  priceSats: number,
): ListingEconomics {
  const { royaltyScript } = collection
  const economics = refuseBitcoin(
    () =>
      economicsOf(priceSats, {
        sellerFeeBps: config.sellerFeeBps,
        sellerFeeMinSats: config.sellerFeeMinSats,
        buyerFeeBps: config.buyerFeeBps,
        buyerFeeMinSats: config.buyerFeeMinSats,
        sellerRoyaltyBps: royaltyScript ? collection.sellerRoyaltyBps : 0,
        buyerRoyaltyBps: royaltyScript ? collection.buyerRoyaltyBps : 0,
        leastRoyaltySats: royaltyScript ? dustLimitOf(royaltyScript) : 0,
      }),
    'items: a price is below the fees',
  )
  return { ...economics, buyerFeeBps: config.buyerFeeBps, royaltyScript }
}

/** What the creator gets of a listing; null when nothing. */
export function royaltyOf({ creatorRevenueSats, royaltyScript }: ListingEconomics): TxOutput | null {
  return royaltyScript && creatorRevenueSats > 0
    ? { valueSats: creatorRevenueSats, script: royaltyScript }
    : null
}
