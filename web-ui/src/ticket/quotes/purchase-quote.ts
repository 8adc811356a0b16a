import type { Answer, Input } from '@ordbook/sdk/operations.ts'
import { queries, useRead } from '../../api/client.ts'
import { useSession } from '../../session/session.tsx'

type Listings = readonly { listingId: string; inscriptionId: string }[]

function inputOf(
  slug: string,
  listings: Listings,
  walletBindingId: string | undefined,
): Input<'quotePurchase'> {
  const wallet = walletBindingId ? { walletBindingId } : {}
  const wanted = listings.map(({ listingId, inscriptionId }) => ({ listingId, inscriptionId }))
  return { params: { slug }, body: { ...wallet, listings: wanted } }
}

/** The bill of a purchase: exact for a connected wallet, renewed each minute and by live events. */
export function usePurchaseQuote(slug: string, listings: Listings) {
  const { account } = useSession()
  return useRead('quotePurchase', inputOf(slug, listings, account?.walletBindingId), {
    enabled: listings.length > 0 && account !== undefined,
    keep: true,
    refetchInterval: 60_000,
  })
}

/** The total of a bill; undefined while there is none, or where it is not exact. */
export const exactTotal = (quote: Pick<Answer<'quotePurchase'>, 'exact' | 'totalSats'> | undefined) =>
  quote?.exact ? quote.totalSats : undefined

/** The total that the bill of a purchase shows now. */
export function shownTotal(slug: string, listings: Listings, walletBindingId: string | undefined) {
  const input = inputOf(slug, listings, walletBindingId)
  return exactTotal(queries.getQueryData<Answer<'quotePurchase'>>(['quotePurchase', input]))
}
