import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { type Coin, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildTransfer, escrowCoinOf, type ListingTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type { FeeCoins, Purchase, PurchaseTerms } from '@ordbook/bitcoin/trade/purchase.ts'
import type { Tx } from '@ordbook/bitcoin/transaction.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import type { Context } from '../context.ts'
import type { ListingRow } from '../listings/queries.ts'
import { parentsOf } from '../preflight/steps.ts'
import { royaltyOf, type TradeEconomics } from '../settlements/economics.ts'
import type { Buyer } from '../settlements/payment-coins.ts'

export interface Facts {
  listings: readonly ListingRow[]
  buyer: Buyer
  donates: boolean
  feeCoins: FeeCoins
  feeRateSatVb: number
}

export function termsOf({ market, config }: Context, facts: Facts, payments: readonly Coin[]): PurchaseTerms {
  const { buyer, donates, feeCoins, feeRateSatVb } = facts
  return {
    items: facts.listings.map((listing) => {
      const economics = unpack<TradeEconomics>(listing.economics)
      return {
        terms: unpack<ListingTerms>(listing.terms),
        transferConfirmed: listing.transferHeight !== null,
        marketplaceRevenueSats: economics.marketplaceRevenueSats,
        royalty: royaltyOf(economics),
      }
    }),
    payments,
    payer: buyer.payer,
    buyerScript: buyer.ordinalsScript,
    changeScript: buyer.paymentScript,
    market: market.coins,
    marketScript: market.coinScript,
    feeCoins,
    feeRateSatVb,
    donationScript: donates ? scriptOfAddress(config.donationAddress!, config.addressNetwork) : null,
  }
}

/** Returns a listing's current coin: the seller's coin, or the escrow coin after a confirmed transfer. */
export function heldBy(listing: ListingRow): { inscriptionId: string; coin: Coin } {
  const terms = unpack<ListingTerms>(listing.terms)
  const coin = listing.transferHeight === null ? terms.inscriptionCoin : escrowCoinOf(terms)
  return { inscriptionId: listing.inscriptionId, coin }
}

export function describeEconomics(listing: ListingRow) {
  const economics = unpack<TradeEconomics>(listing.economics)
  return {
    listingId: listing.listingId,
    inscriptionId: listing.inscriptionId,
    priceSats: economics.priceSats,
    inscriptionUtxoValueSats: unpack<ListingTerms>(listing.terms).inscriptionCoin.valueSats,
    listingFeeSats: 0,
    buyerFeeBps: economics.buyerFeeBps,
    buyerFeeSats: economics.buyerMarketplaceFeeSats,
    sellerCreatorRoyaltySats: economics.sellerCreatorRoyaltySats,
    buyerCreatorRoyaltySats: economics.buyerCreatorRoyaltySats,
    sellerReceiveSats: economics.sellerReceiveSats,
    buyerPayTotalSats: economics.buyerPayTotalSats,
    marketplaceRevenueSats: economics.marketplaceRevenueSats,
    creatorRevenueSats: economics.creatorRevenueSats,
  }
}

/** Returns the previous transactions of a settlement's inputs, including those that create the escrow coins. */
export async function previousTransactions(
  context: Context,
  built: Purchase,
  listings: readonly ListingRow[],
): Promise<Map<string, Tx>> {
  const previous = await parentsOf(context, [built.settlement])
  for (const listing of listings) {
    const terms = unpack<ListingTerms>(listing.terms)
    const { movedTo } = terms
    const moved = movedTo && (await context.node.transaction(movedTo.txid))
    if (moved) previous.set(movedTo.txid, moved)
    else previous.set(listing.transferTxid, transactionOf(buildTransfer(terms)))
  }
  return previous
}
