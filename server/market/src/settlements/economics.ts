import { dustLimitOf } from '@ordbook/bitcoin/address.ts'
import { type Economics, economicsOf } from '@ordbook/bitcoin/trade/economics.ts'
import type { TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { CollectionRow } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { toFault } from '../preflight/refuse.ts'

/** Payments of a trade. They are fixed when the order is created. */
export interface TradeEconomics extends Economics {
  sellerFeeBps: number
  buyerFeeBps: number
  sellerRoyaltyBps: number
  buyerRoyaltyBps: number
  royaltyScript: Uint8Array | null
}

/** The market's output of listings and counter-offers contains more than the fees. In a fill, the seller pays all fees. */
export type TradeKind = 'listing' | 'counter' | 'offer' | 'fill'

/**
 * Splits a price by the current fees and royalties. Amounts below the dust limit are waived. Throws `invalid` if the fees exceed the price.
 */
export function tradeEconomics(
  { config, market }: Pick<Context, 'config' | 'market'>,
  collection: CollectionRow,
  priceSats: number,
  kind: TradeKind,
): TradeEconomics {
  const { royaltyScript } = collection
  const [sellerRoyaltyBps, buyerRoyaltyBps] = royaltyScript
    ? kind === 'fill'
      ? [collection.sellerRoyaltyBps + collection.buyerRoyaltyBps, 0]
      : [collection.sellerRoyaltyBps, collection.buyerRoyaltyBps]
    : [0, 0]
  const minOf = (bps: number) => (bps > 0 ? config.feeMinSats : 0)
  const fees =
    kind === 'fill'
      ? {
          sellerFeeBps: config.fillFeeBps,
          sellerFeeMinSats: minOf(config.fillFeeBps),
          buyerFeeBps: 0,
          buyerFeeMinSats: 0,
        }
      : {
          sellerFeeBps: config.sellerFeeBps,
          sellerFeeMinSats: minOf(config.sellerFeeBps),
          buyerFeeBps: config.buyerFeeBps,
          buyerFeeMinSats: minOf(config.buyerFeeBps),
        }
  const hasFeeOutput = kind === 'offer' || kind === 'fill'
  const economics = toFault(
    () =>
      economicsOf(priceSats, {
        ...fees,
        sellerRoyaltyBps,
        buyerRoyaltyBps,
        leastRoyaltySats: royaltyScript ? dustLimitOf(royaltyScript) : 0,
        leastRevenueSats: hasFeeOutput ? dustLimitOf(market.coinScript) : 0,
      }),
    kind === 'listing' ? 'items: a price is below the fees' : 'priceSats is below the fees',
  )
  // A waived fee or royalty has a rate of 0.
  const hasFee = economics.marketplaceRevenueSats > 0 || !hasFeeOutput
  const hasRoyalty = economics.creatorRevenueSats > 0
  return {
    ...economics,
    sellerFeeBps: hasFee ? fees.sellerFeeBps : 0,
    buyerFeeBps: hasFee ? fees.buyerFeeBps : 0,
    sellerRoyaltyBps: hasRoyalty ? sellerRoyaltyBps : 0,
    buyerRoyaltyBps: hasRoyalty ? buyerRoyaltyBps : 0,
    royaltyScript,
  }
}

export function royaltyOf({
  creatorRevenueSats,
  royaltyScript,
}: Pick<TradeEconomics, 'creatorRevenueSats' | 'royaltyScript'>): TxOutput | null {
  return royaltyScript && creatorRevenueSats > 0
    ? { valueSats: creatorRevenueSats, script: royaltyScript }
    : null
}
