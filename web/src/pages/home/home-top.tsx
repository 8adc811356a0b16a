import { usePages } from '@ordbook/web-ui/api/client.ts'
import { home as words } from '@ordbook/web-ui/strings/home.ts'
import { Change, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { Sparkline } from '../charts/sparkline.tsx'
import { CollectionLine, type CollectionRow } from '../parts/collection-line.tsx'
import { Spotlight } from './home-spotlight.tsx'

const MOVERS = 5
const PICTURES = 8

export function Top({ rows }: { rows: readonly CollectionRow[] }) {
  const [first] = rows
  const items = usePages(
    'browseItems',
    { params: { slug: first?.slug ?? '' }, query: { sort: 'price', limit: PICTURES } },
    { enabled: first !== undefined },
  )
  const size = (row: CollectionRow) => Math.abs(row.oneDayChange ?? 0)
  const movers = rows
    .filter((row) => size(row) > 0)
    .sort((a, b) => size(b) - size(a))
    .slice(0, MOVERS)
  if (!first) return null
  const spotlight = <Spotlight row={first} items={items.data?.pages[0]?.items} />
  if (movers.length === 0) return spotlight
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,1fr)_404px]">
      {spotlight}
      <Movers rows={movers} />
    </div>
  )
}

function Movers({ rows }: { rows: readonly CollectionRow[] }) {
  return (
    <section className="panel p-4 lg:h-84" aria-label={words.movers}>
      <div className="mb-2 flex items-baseline justify-between gap-3">
        <h2 className="text-h3">{words.movers}</h2>
        <span className="text-caption text-soft">{words.moversOf}</span>
      </div>
      <ul className="divide-y divide-line">
        {rows.map((row) => (
          <li key={row.slug} className="flex">
            <CollectionLine row={row} below={<Price sats={row.floorSats} />}>
              <Sparkline values={row.floorLine} />
              <span className="w-16 text-right">
                <Change value={row.oneDayChange} />
              </span>
            </CollectionLine>
          </li>
        ))}
      </ul>
    </section>
  )
}
