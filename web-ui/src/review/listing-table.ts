import type { FlowTable } from './flows.ts'
import type { ReviewModel } from './model.ts'

/**
 * Where the sats of a single listing go when it sells: the signed payout, and the fees that the price pays besides. The buyer's own fees
 * are not part of it.
 */
export function listingTable({ listings, quotes, transactions }: ReviewModel): FlowTable {
  const { item, priceSats, receiveSats } = listings[0]!
  const payout = transactions
    .flatMap(({ purposes }) => purposes)
    .find(({ purpose, to }) => purpose === 'payout' && to === 'you')
  const rows = quotes.flatMap(({ bill }) => bill)
  const royaltySats = rows.reduce((sum, { kind, sats }) => sum + (kind === 'creatorRoyalty' ? -sats : 0), 0)
  const feesSats = priceSats - receiveSats - royaltySats
  const none = { script: null, inscriptionIds: [], outputs: 1 }
  return {
    flows: [
      {
        purpose: 'item',
        to: 'buyer',
        sats: item.valueSats,
        script: null,
        inscriptionIds: [item.inscriptionId],
        outputs: 1,
      },
      ...(payout ? [payout] : []),
      ...(royaltySats > 0
        ? [{ purpose: 'royalty' as const, to: 'creator' as const, sats: royaltySats, ...none }]
        : []),
      ...(feesSats > 0 ? [{ purpose: 'fees' as const, to: 'market' as const, sats: feesSats, ...none }] : []),
    ],
    paidSats: 0,
    costSats: 0,
    broughtSats: 0,
    marketSats: 0,
    feeSats: 0,
  }
}
