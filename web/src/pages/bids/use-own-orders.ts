import { usePages, useRead } from '@ordbook/web-ui/api/client.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useEffect } from 'react'

/** Maximum number of pages of own listings to load. */
const MAX_PAGES = 10

/** Returns the visitor's orders, to mark them in the book. */
export function useOwnOrders(slug: string): {
  askPrices: ReadonlySet<number>
  offerIds: ReadonlySet<string>
} {
  const { account } = useSession()
  const enabled = Boolean(account)
  const sent = useRead('listMySentCollectionOffers', { params: { slug } }, { enabled })
  const sellerAddress = account?.ordinalsAddress ?? ''
  const asks = usePages(
    'listListings',
    { query: { collectionSlug: slug, sellerAddress, sort: 'price', limit: 100 } },
    { enabled },
  )
  const { data, hasNextPage, isFetching, fetchNextPage } = asks
  const pages = (account && data?.pages) || []
  useEffect(() => {
    if (hasNextPage && !isFetching && pages.length < MAX_PAGES) void fetchNextPage()
  }, [hasNextPage, isFetching, pages.length, fetchNextPage])
  return {
    askPrices: new Set(pages.flatMap(({ listings }) => listings.map(({ priceSats }) => priceSats))),
    offerIds: new Set(((account && sent.data?.rows) || []).map(({ id }) => id)),
  }
}
