import type { Answer } from '@ordbook/sdk/operations.ts'
import { usePages, useRead } from '@ordbook/web-ui/api/client.ts'
import { portfolio, profile as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { Empty, Loaded, More, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { PriceColumn } from '@ordbook/web-ui/ui/price-column.tsx'
import { InscriptionLink } from '../parts/links.tsx'

/** Page size, limited by `listItems`. */
const PAGE = 20

type Listing = Answer<'listListings'>['listings'][number]

export function AddressListings({ address }: { address: string }) {
  const found = usePages('listListings', { query: { sellerAddress: address, limit: PAGE } })
  return (
    <Loaded of={found} what={portfolio.loadingListings}>
      {({ pages }) =>
        pages.every((page) => page.listings.length === 0) ? (
          <Empty title={words.noListings} />
        ) : (
          <>
            <ul aria-label={words.tabs.listings} className="panel divide-y divide-line">
              {pages.map((page) => (
                <Rows key={page.listings[0]?.listingId} listings={page.listings} />
              ))}
            </ul>
            <More of={found} />
          </>
        )
      }
    </Loaded>
  )
}

function Rows({ listings }: { listings: readonly Listing[] }) {
  const inscriptionIds = listings.map((listing) => listing.inscriptionId).join(',')
  const named = useRead('listItems', { query: { inscriptionIds } }, { enabled: listings.length > 0 })
  const items = new Map(named.data?.items.map((item) => [item.inscriptionId, item]))
  const rows = listings.map((listing) => {
    const { inscriptionId, inscriptionName, priceSats, listingExpiresAt } = listing
    const item = items.get(inscriptionId)
    return (
      <li key={listing.listingId} className="flex items-center gap-4 px-4 py-3">
        <span className="aspect-square w-11 shrink-0 overflow-hidden rounded-control bg-raised">
          {item && (
            <Media id={inscriptionId} contentType={item.contentType} name="" hint={item.imageRenderingHint} />
          )}
        </span>
        <span className="grid min-w-0 flex-1">
          <InscriptionLink
            id={inscriptionId}
            name={inscriptionName}
            className="truncate leading-6 font-[560] hover:underline"
          />
          <span className="flex h-6 min-w-0 items-center gap-1 text-caption text-soft">
            {item && <CollectionName of={item} />}
          </span>
        </span>
        <span className="grid justify-items-end">
          <Price sats={priceSats} className="font-semibold" />
          <span className="text-caption text-soft">
            {listingExpiresAt && (
              <>
                {portfolio.ends} <Time at={listingExpiresAt} until />
              </>
            )}
          </span>
        </span>
      </li>
    )
  })
  return <PriceColumn of={listings.map(({ priceSats }) => priceSats)}>{rows}</PriceColumn>
}
