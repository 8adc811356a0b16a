import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { count } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { home as words } from '@ordbook/web-ui/strings/home.ts'
import { Badge, BUTTON, Empty, KINDS, Price } from '@ordbook/web-ui/ui/basics.tsx'
import type { Item } from '../items/item-card.tsx'
import { ItemGrid } from '../items/item-grid.tsx'
import { ItemPicture } from '../items/item-picture.tsx'
import { CollectionLine, type CollectionRow } from '../parts/collection-line.tsx'

const COLLECTIONS = 10
const TILES = 10
const NEWEST = 4

const percent = (bps: number) => `${bps / 100}%`

/** Home page of a market without sales. `collections` is undefined while loading. */
export function NewMarket({ collections }: { collections: readonly CollectionRow[] | undefined }) {
  const newest = useRead('listFreshItems', { query: { of: 'inscribed' } })
  const items = newest.data?.items ?? []
  return (
    <>
      <Hero items={newest.data?.items} />
      {collections?.length === 0 && (
        <Empty title={words.noCollections}>
          {words.noCollectionsWhy}{' '}
          <Link to="/how" className="underline">
            {words.how}
          </Link>
        </Empty>
      )}
      {collections !== undefined && collections.length > 0 && (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,28rem)]">
          <Collections rows={collections} />
          <section>
            <h2 className="mb-3 text-h2">{words.newest}</h2>
            <ItemGrid items={items.slice(0, NEWEST)} />
            <div className="panel mt-3 px-4 py-3">
              <p className="text-h3">{words.noSales}</p>
              <p className="text-small text-soft">{words.firstSale}</p>
            </div>
          </section>
        </div>
      )}
    </>
  )
}

/** Newest items and a description of the market. `items` is undefined while loading. */
function Hero({ items }: { items: readonly Item[] | undefined }) {
  const { market } = useSettings()
  return (
    <header className="panel grid grid-cols-[minmax(0,1fr)] overflow-hidden lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      {items?.length !== 0 && (
        <div
          className="grid h-32 grid-cols-5 overflow-hidden bg-raised sm:h-48 lg:col-start-2 lg:row-start-1 lg:h-84 lg:grid-rows-2 [&>:nth-child(n+6)]:hidden lg:[&>:nth-child(n+6)]:block"
          aria-hidden="true"
        >
          {items?.slice(0, TILES).map((item) => (
            <div
              key={item.inscriptionId}
              className="min-h-0 overflow-hidden [&>*]:h-full [&>*]:aspect-auto [&_img]:object-cover"
            >
              <ItemPicture item={item} />
            </div>
          ))}
        </div>
      )}
      <div className="grid content-start gap-3 p-5 lg:px-8 lg:pt-16">
        <p>
          <Badge>{words.newMarket}</Badge>
        </p>
        <h1 className="text-h1">{words.headline}</h1>
        <p className="min-h-18 text-soft sm:min-h-12">
          {market && words.terms(percent(market.fees.sellerFeeBps), percent(market.fees.buyerFeeBps))}
        </p>
        <div className="flex flex-wrap gap-2">
          <Link to="/wallet" className={`${BUTTON} ${KINDS.main} min-h-12 px-6`}>
            {words.list}
          </Link>
          <Link to="/how" className={`${BUTTON} ${KINDS.plain} min-h-12 px-6`}>
            {words.howItWorks}
          </Link>
        </div>
      </div>
    </header>
  )
}

function Collections({ rows }: { rows: readonly CollectionRow[] }) {
  return (
    <section>
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-3">
        <h2 className="text-h2">{words.collections}</h2>
        {rows.length > COLLECTIONS && (
          <Link to="/collections" className="text-accent hover:underline">
            {words.seeAll}
          </Link>
        )}
      </div>
      <ul className="panel divide-y divide-line">
        {rows.slice(0, COLLECTIONS).map((row) => (
          <li key={row.slug} className="flex items-center gap-3 px-3 py-1">
            <CollectionLine row={row} below={words.owned(row.itemCount, row.ownerCount)}>
              <span className="hidden text-right text-small sm:block">
                {row.floorSats === null ? (
                  <span className="text-soft">{words.noneListed}</span>
                ) : (
                  <>
                    <span className="block text-caption text-soft">{words.floor}</span>
                    <Price sats={row.floorSats} className="font-semibold" />
                  </>
                )}
              </span>
            </CollectionLine>
            {row.floorSats === null ? (
              <Link
                to="/wallet"
                search={{ collection: row.slug }}
                className={`${BUTTON} ${KINDS.plain} shrink-0`}
                aria-label={words.listFirstOf(row.name)}
              >
                {words.listFirst}
              </Link>
            ) : (
              <Link
                to="/collection/$slug"
                params={{ slug: row.slug }}
                className={`${BUTTON} ${KINDS.plain} shrink-0`}
                aria-label={words.buyOf(row.name)}
              >
                {words.seeListed(count(row.listedCount))}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
