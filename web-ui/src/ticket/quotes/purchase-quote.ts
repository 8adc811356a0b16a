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
  const entries = listings.map(({ listingId, inscriptionId }) => ({ listingId, inscriptionId }))
  return { params: { slug }, body: { ...wallet, listings: entries } }
}

/** Quotes a purchase. Exact only for a signed-in wallet. */
export function usePurchaseQuote(slug: string, listings: Listings) {
  const { account } = useSession()
  return useRead('quotePurchase', inputOf(slug, listings, account?.walletBindingId), {
    enabled: listings.length > 0 && account !== undefined,
    keep: true,
    refetchInterval: 60_000,
  })
}

/** A bill as shown. For sellers, the total excludes the postage. */
export type ShownQuote = Pick<Answer<'quotePurchase'>, 'bill' | 'totalSats'> &
  Partial<
    Pick<Answer<'quotePurchase'>, 'targetFeeRateSatVb'> &
      Pick<Answer<'quoteListing'>, 'inscriptionUtxoValueSats'>
  >

/** The bill on screen; unset if it is not exact. */
export interface Shown {
  quote?: ShownQuote | undefined
}

type Bill = Answer<'quotePurchase'>['bill']
const OF_NETWORK: readonly Bill[number]['kind'][] = ['networkFee', 'cpfpFee', 'sellerTransfers']

export const networkSatsOf = (bill: Bill): number =>
  bill.reduce((sum, { kind, sats }) => sum + (OF_NETWORK.includes(kind) ? Math.abs(sats) : 0), 0)

export const shownOf = (quote: (ShownQuote & { exact: boolean }) | undefined): Shown =>
  quote?.exact ? { quote } : {}

/** Returns the purchase bill on screen from the cache. */
export function quoteOnScreen(slug: string, listings: Listings, walletBindingId: string | undefined) {
  const input = inputOf(slug, listings, walletBindingId)
  return shownOf(queries.getQueryData<Answer<'quotePurchase'>>(['quotePurchase', input]))
}
