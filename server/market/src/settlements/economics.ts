import { dustLimitOf } from '@ordbook/bitcoin/address.ts'
import { type Economics, economicsOf } from '@ordbook/bitcoin/trade/economics.ts'
import type { TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { CollectionRow } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { toFault } from '../preflight/refuse.ts'

/** The payments of a trade, fixed when its order is made. Later changes of fees and royalties do not affect it. */
export interface TradeEconomics extends Economics {
  sellerFeeBps: number
  buyerFeeBps: number
  sellerRoyaltyBps: number
  buyerRoyaltyBps: number
  royaltyScript: Uint8Array | null
}

/**
 * Listings and counters have a market output that contains more than the fees; offers have one for the fees only. In a fill, the seller
 * pays all fees and royalties.
 */
export type TradeKind = 'listing' | 'counter' | 'offer' | 'fill'

/**
 * Splits a price by today's fees and royalties. The market waives a fee below the dust limit. Throws invalid if the seller would receive
 * less than nothing.
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
  const ownOutput = kind === 'offer' || kind === 'fill'
  const economics = toFault(
    () =>
      economicsOf(priceSats, {
        ...fees,
        sellerRoyaltyBps,
        buyerRoyaltyBps,
        leastRoyaltySats: royaltyScript ? dustLimitOf(royaltyScript) : 0,
        leastRevenueSats: ownOutput ? dustLimitOf(market.coinScript) : 0,
      }),
    kind === 'listing' ? 'items: a price is below the fees' : 'priceSats is below the fees',
  )
  // A waived fee or royalty has the rate 0.
  const taken = economics.marketplaceRevenueSats > 0 || !ownOutput
  const paid = economics.creatorRevenueSats > 0
  return {
    ...economics,
    sellerFeeBps: taken ? fees.sellerFeeBps : 0,
    buyerFeeBps: taken ? fees.buyerFeeBps : 0,
    sellerRoyaltyBps: paid ? sellerRoyaltyBps : 0,
    buyerRoyaltyBps: paid ? buyerRoyaltyBps : 0,
    royaltyScript,
  }
}

/** The output that pays the creator; null if there is none. */
export function royaltyOf({
  creatorRevenueSats,
  royaltyScript,
}: Pick<TradeEconomics, 'creatorRevenueSats' | 'royaltyScript'>): TxOutput | null {
  return royaltyScript && creatorRevenueSats > 0
    ? { valueSats: creatorRevenueSats, script: royaltyScript }
    : null
}
