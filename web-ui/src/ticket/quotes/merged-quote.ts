import type { ShownQuote } from './purchase-quote.ts'

/** Returns quotes as one: rows of the same kind and rate are added up, and so are totals and postage. */
export function mergedQuote(quotes: readonly ShownQuote[]): ShownQuote {
  const bill: ShownQuote['bill'] = []
  for (const row of quotes.flatMap((quote) => quote.bill)) {
    const same = bill.findIndex(({ kind, rateBps }) => kind === row.kind && rateBps === row.rateBps)
    if (same === -1) bill.push({ ...row })
    else bill[same] = { ...bill[same]!, sats: bill[same]!.sats + row.sats }
  }
  const sumOf = (satsOf: (quote: ShownQuote) => number) =>
    quotes.reduce((sum, quote) => sum + satsOf(quote), 0)
  return {
    bill,
    totalSats: sumOf(({ totalSats }) => totalSats),
    inscriptionUtxoValueSats: sumOf(({ inscriptionUtxoValueSats = 0 }) => inscriptionUtxoValueSats),
  }
}
