import { useRead } from '@ordbook/web-ui/api/client.ts'
import { home as words } from '@ordbook/web-ui/strings/home.ts'
import type { Item } from '../items/item-card.tsx'
import { ItemGrid } from '../items/item-grid.tsx'
import { CollectionLine } from '../parts/collection-line.tsx'
import { useCollections } from '../parts/use-collections.ts'

const COLLECTIONS = 6

/** Items newly listed near the floor. */
export function FreshItems() {
  const found = useRead('listFreshItems', { query: { of: 'near-floor' } })
  if (found.isPending) return <div className="pulse h-80 rounded-picture bg-raised" />
  const items = found.data?.items ?? []
  if (items.length === 0) return null
  return (
    <section>
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-3">
        <h2 className="text-h2">{words.nearFloor}</h2>
        <span className="text-soft">{words.within}</span>
      </div>
      <NearFloors items={items} />
    </section>
  )
}

function NearFloors({ items }: { items: readonly Item[] }) {
  const collections = useCollections(items.map((item) => item.collection))
  const floors = new Map([...collections].map(([slug, { floorSats }]) => [slug, floorSats]))
  return <ItemGrid items={items} floors={floors} />
}

export function NewCollections() {
  const found = useRead('browseCollections', { query: { sort: 'new', limit: COLLECTIONS } })
  const rows = found.data?.collections ?? []
  if (rows.length === 0) return null
  return (
    <section>
      <h2 className="mb-3 text-h2">{words.fresh}</h2>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(18rem,100%),1fr))] gap-3">
        {rows.map((row) => (
          <li key={row.slug} className="panel flex min-w-0 px-3 py-1">
            <CollectionLine row={row} below={words.listed(row.listedCount, row.itemCount)} />
          </li>
        ))}
      </ul>
    </section>
  )
}
