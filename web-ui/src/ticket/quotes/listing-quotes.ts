import type { Answer, Input } from '@ordbook/sdk/operations.ts'
import { useSession } from '../../session/session.tsx'
import { type Quoted, useQuotes } from './quotes.ts'

const MAX_QUOTED = 20

/** `priceSats` is null until a price is entered. */
interface Priced {
  inscriptionId: string
  /** Items without a collection are not quoted. */
  slug: string | null
  priceSats: number | null
}

/** `isBill`: true if all items have a price. */
interface ListingBill {
  slug: string
  quote: Quoted<Answer<'quoteListing'>>
  isBill: boolean
}

/** Returns quotes in batches of 20 items. Items without a price are quoted at `leastSats`. */
export function useListingQuotes(items: readonly Priced[], leastSats: number) {
  const { account } = useSession()
  const parts = [...Map.groupBy(items, (each) => each.slug)].flatMap(([slug, all]) =>
    slug === null
      ? []
      : Array.from({ length: Math.ceil(all.length / MAX_QUOTED) }, (_, n) => ({
          slug,
          part: all.slice(n * MAX_QUOTED, (n + 1) * MAX_QUOTED),
        })),
  )
  const inputs = parts.map(
    ({ slug, part }): Input<'quoteListing'> => ({
      params: { slug },
      body: {
        ...(account ? { walletBindingId: account.walletBindingId } : {}),
        items: part.map(({ inscriptionId, priceSats }) => ({
          inscriptionId,
          priceSats: Math.max(priceSats ?? leastSats, leastSats),
        })),
      },
    }),
  )
  const quotes = useQuotes('quoteListing', inputs)
  const bills = parts.flatMap(({ slug, part }, n): ListingBill[] => {
    const quote = quotes[n]
    return quote ? [{ slug, quote, isBill: part.every((each) => each.priceSats !== null) }] : []
  })
  return {
    bills,
    isPending: quotes.length < parts.length || quotes.some((quote) => quote.isPending),
    /** Undefined until the quote arrives. */
    factsOf(inscriptionId: string) {
      for (const { quote } of bills) {
        const item = quote.data?.items.find((item) => item.inscriptionId === inscriptionId)
        if (item) return { item, data: quote.data!, isPending: quote.isPending }
      }
      return undefined
    },
  }
}

export type ListingFacts = ReturnType<ReturnType<typeof useListingQuotes>['factsOf']>
