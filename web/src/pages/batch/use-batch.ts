import type { Answer } from '@ordbook/sdk/operations.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { type AmountText, filledAmount, inUnit, satsIn, typedOf } from '@ordbook/web-ui/money/amount-text.ts'
import type { ToBeListed } from '@ordbook/web-ui/signing/listings.ts'
import { useFirstUnit } from '@ordbook/web-ui/ticket/fields/amount-field.tsx'
import { listFieldsIn, useFields } from '@ordbook/web-ui/ticket/fields/fields.ts'
import { useMoved } from '@ordbook/web-ui/ticket/moved.ts'
import { type ListingFacts, useListingQuotes } from '@ordbook/web-ui/ticket/quotes/listing-quotes.ts'
import { mergedQuote } from '@ordbook/web-ui/ticket/quotes/merged-quote.ts'
import { factsOf } from '@ordbook/web-ui/ticket/references.ts'
import type { BestBid } from '../forms/best-bids.ts'
import { NO_PRICES, type Priced, pricedOf, type ToList } from '../forms/priced.ts'
import type { References } from './batch-prices.ts'

/** An item that can be listed or whose price can be changed. */
export interface BatchRow extends ToList, References {
  slug: string
  contentType: string | null
  imageRenderingHint: Answer<'listHoldings'>['holdings'][number]['imageRenderingHint']
  collectionName: string | null
  verificationStatus: 'verified' | 'unverified' | null
  /** Top offer of the collection. */
  topOfferSats: number | null
  /** Seller's creator royalty; null until the collection is loaded. */
  royaltyBps: number | null
  /** Value of the trait of the trait floor. */
  traitFloorOf: string | null
  bestBid: BestBid | null
  /** Id of the live listing, or null. */
  listingId: string | null
  /** What the live listing pays, or null. */
  listedReceiveSats: number | null
  /** Price to begin with: of the current or the last listing. */
  startSats: number | null
  /** State of the listing, if it is not for sale. */
  status: string | null
  /** True while the item is being bought. */
  isLocked: boolean
}

export interface BatchLine {
  row: BatchRow
  value: AmountText
  sats: number | null
  isChosen: boolean
  /** Price, quote and guards of a changed price; null if nothing changes. */
  change: Priced<BatchRow> | null
  /** True if the price of a chosen item is invalid. */
  isInvalid: boolean
}

export type Batch = ReturnType<typeof useBatch>

/** State of a batch. Its fields are kept in the ticket of `subject`, also over a reload. */
export function useBatch(subject: string, rows: readonly BatchRow[]) {
  const { market, fiat } = useSettings()
  const unit = useFirstUnit()
  const [fields, setFields] = useFields(subject, listFieldsIn, NO_PRICES)
  const leastSats = market?.listingMinSats ?? 1000
  const chosen = new Set(fields.chosen)
  const priceOf = ({ inscriptionId, startSats }: BatchRow): AmountText => {
    const typed = fields.prices[inscriptionId]
    if (typed) return inUnit(typed, unit, fiat)
    return startSats === null ? { text: '', unit } : filledAmount(startSats, unit, fiat)
  }
  const typed = rows.map((row) => {
    const value = priceOf(row)
    const sats = satsIn(value, fiat)
    const isChosen = !row.isLocked && chosen.has(row.inscriptionId)
    const isValid = sats !== null && sats >= leastSats
    return {
      row,
      value,
      sats,
      isChosen,
      isInvalid: isChosen && !isValid && typedOf(value, fiat).kind !== 'empty',
      isChanged: isChosen && isValid && sats !== row.listedSats,
    }
  })
  const changed = typed.filter(({ isChanged }) => isChanged)
  const quotes = useListingQuotes(
    changed.map(({ row: { inscriptionId, slug }, sats }) => ({ inscriptionId, slug, priceSats: sats })),
    leastSats,
  )
  const lines = typed.map(({ isChanged, ...line }): BatchLine => {
    const { inscriptionId } = line.row
    const again = fields.again[inscriptionId] ?? { text: '', unit }
    const facts = quotes.factsOf(inscriptionId)
    // Shows the numbers that the guards compare with.
    const row = quotedRow(line.row, facts)
    return { ...line, row, change: isChanged ? pricedOf(row, line.value, again, facts, fiat) : null }
  })
  const changes = lines.flatMap(({ change }) => change ?? [])
  // The quote marks items that the market would reject.
  const listable = changes.filter(({ facts }) => !facts?.item.refused)
  const shown = quotes.bills.flatMap(({ quote }) => quote.data ?? [])
  const isQuoting = quotes.isPending || shown.length < quotes.bills.length
  const bill = shown.length > 0 ? mergedQuote(shown) : undefined
  const key = JSON.stringify(changes.map(({ item, sats }) => [item.inscriptionId, sats]))
  const moved = useMoved(key, isQuoting ? undefined : bill?.totalSats, 'seller')
  return {
    fields,
    setFields,
    unit,
    fiat,
    leastSats,
    lines,
    changes,
    listable,
    quotes: shown,
    error: quotes.bills.find(({ quote }) => quote.error)?.quote.error ?? null,
    isQuoting,
    bill,
    key,
    moved,
  }
}

/** Returns a row with the reference prices of its quote, if there is one. */
function quotedRow(row: BatchRow, facts: ListingFacts): BatchRow {
  const quoted = factsOf(facts?.data, row.inscriptionId)
  if (!facts || !quoted) return row
  const bestBid = row.isInEscrow ? null : quoted.bestBid
  return {
    ...row,
    floorSats: facts.data.collection.floorSats,
    topOfferSats: facts.data.collection.topOfferSats,
    traitFloorSats: quoted.traitFloor?.floorSats ?? null,
    traitFloorOf: quoted.traitFloor?.value ?? null,
    bestBid,
    bestBidSats: bestBid?.priceSats ?? null,
  }
}

export interface BatchInput extends ToBeListed {
  slug: string
}

/** Returns prices and fees to sign. Every price must be quoted. */
export const inputsOf = (listable: readonly Priced<BatchRow>[]): BatchInput[] =>
  listable.map(({ item: { inscriptionId, slug, floorSats }, sats, facts }) => ({
    inscriptionId,
    slug,
    priceSats: sats!,
    floorSats: facts?.data.collection.floorSats ?? floorSats,
    feeBps: facts!.item.sellerMarketplaceFeeBps + facts!.item.sellerCreatorRoyaltyBps,
  }))

/** Returns the number of PSBTs that list items: each request of at most 20 items of a collection adds two. */
export function psbtsOf(inputs: readonly { slug: string }[]): number {
  const parts = [...Map.groupBy(inputs, ({ slug }) => slug).values()].map(({ length }) =>
    Math.ceil(length / 20),
  )
  return inputs.length + 2 * parts.reduce((sum, each) => sum + each, 0)
}
