import { useRead } from '@ordbook/web-ui/api/client.ts'
import { home as words } from '@ordbook/web-ui/strings/home.ts'
import { Change, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { CollectionLine } from '../parts/collection-line.tsx'
import { WatchStar } from '../parts/watch-star.tsx'

export function Watchlist({ slugs }: { slugs: readonly string[] }) {
  const query = { slugs: slugs.toSorted().join(','), sort: 'name', limit: 50 } as const
  const found = useRead('browseCollections', { query }, { keep: true })
  const rows = found.data?.collections.filter((row) => slugs.includes(row.slug)) ?? []
  return (
    <section aria-label={words.watchlist} className="panel min-h-24 px-4 py-3">
      <h2 className="mb-1 text-h3">{words.watchlist}</h2>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(22rem,100%),1fr))] gap-x-6">
        {rows.map((row) => (
          <li key={row.slug} className="flex min-w-0 items-center gap-1">
            <WatchStar slug={row.slug} name={row.name} />
            <CollectionLine row={row} below={words.listed(row.listedCount, row.itemCount)}>
              <span className="text-right">
                {row.floorSats !== null && <Price sats={row.floorSats} className="block font-semibold" />}
                <Change value={row.oneDayChange} />
              </span>
            </CollectionLine>
          </li>
        ))}
      </ul>
    </section>
  )
}
