import { mergedQuote } from '../ticket/quotes/merged-quote.ts'
import type { ShownQuote } from '../ticket/quotes/purchase-quote.ts'
import { quoteOfSide } from '../ticket/quotes/quote-of-side.ts'
import type { ReviewModel } from './model.ts'

/**
 * Returns the bill of the review: the one that was shown before, as one. If the network fee changed since, its row follows the transaction,
 * so that the rows add up to the total. Without a quote, the bill has only the network fee.
 */
export function billOf({ agreement, quotes, totalSats }: ReviewModel): ShownQuote {
  const { bill, totalSats: quotedSats, inscriptionUtxoValueSats: postageSats = 0 } = mergedQuote(quotes)
  const total = totalSats ?? quotedSats
  if (total !== quotedSats) {
    const network = bill.findIndex(({ kind }) => kind === 'networkFee')
    const changed = total - quotedSats
    if (network === -1) bill.push({ kind: 'networkFee', sats: changed, rateBps: null })
    else bill[network] = { ...bill[network]!, sats: bill[network]!.sats + changed }
  }
  const rate = quotes.length === 1 ? quotes[0]!.targetFeeRateSatVb : undefined
  const merged: ShownQuote = {
    bill,
    totalSats: total,
    ...(rate === undefined ? {} : { targetFeeRateSatVb: rate }),
    ...(RETURNS_POSTAGE.includes(agreement.kind) ? { inscriptionUtxoValueSats: postageSats } : {}),
  }
  return agreement.kind === 'swap' ? quoteOfSide(merged) : merged
}

/** Sales that pay the seller the postage too. In the others it moves with the item. */
const RETURNS_POSTAGE: readonly string[] = ['list', 'accept', 'counter']
