import type { ShownQuote } from './purchase-quote.ts'

/** Returns a quote of one side of a proposal for display. For the side that pays, costs are positive. */
export function quoteOfSide<T extends ShownQuote>(quote: T): T {
  if (quote.totalSats >= 0) return quote
  return {
    ...quote,
    bill: quote.bill.map((row) => ({ ...row, sats: -row.sats })),
    totalSats: -quote.totalSats,
  }
}
