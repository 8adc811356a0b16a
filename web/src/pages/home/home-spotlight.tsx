import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { home as words } from '@ordbook/web-ui/strings/home.ts'
import { Price } from '@ordbook/web-ui/ui/basics.tsx'
import { Verification } from '@ordbook/web-ui/ui/verified.tsx'
import type { Item } from '../items/item-card.tsx'
import { ItemPicture } from '../items/item-picture.tsx'
import type { CollectionRow } from '../parts/collection-line.tsx'

const PICTURES = 4

/** The collection with the highest volume. `items` is undefined while loading. */
export function Spotlight({ row, items }: { row: CollectionRow; items: readonly Item[] | undefined }) {
  return (
    <Link
      to="/collection/$slug"
      params={{ slug: row.slug }}
      className="relative block h-59 overflow-hidden rounded-picture bg-raised lg:h-84"
    >
      <span className="absolute inset-0 flex" aria-hidden="true">
        {items?.slice(0, PICTURES).map((item, n) => (
          <span
            key={item.inscriptionId}
            className={`h-full w-1/2 shrink-0 sm:w-1/4 [&>*]:h-full [&>*]:aspect-auto [&_img]:object-cover ${n > 1 ? 'hidden sm:block' : ''}`}
          >
            <ItemPicture item={item} size={1024} />
          </span>
        ))}
      </span>
      <span className="absolute inset-x-0 bottom-0 flex flex-wrap items-end justify-between gap-x-8 gap-y-2 bg-linear-to-t from-overlay from-70% to-transparent p-4 pt-12 text-on-overlay sm:px-6">
        <span className="min-w-0">
          <span className="rounded-badge bg-amber px-1.5 py-0.5 text-badge font-semibold text-on-amber">
            {words.spotlight}
          </span>
          <span dir="auto" className="mt-1 block truncate text-h1">
            {row.name} <Verification of={row.verificationStatus} sameNameAs={row.sameNameAs} />
          </span>
        </span>
        <span className="flex items-center gap-6">
          <Figure label={words.floor} sats={row.floorSats} />
          <Figure label={words.volumeWeek} sats={row.volumeWeekSats || null} />
          <span className="hidden min-h-11 items-center rounded-button bg-on-overlay px-4 font-semibold text-on-amber sm:flex">
            {words.view}
          </span>
        </span>
      </span>
    </Link>
  )
}

function Figure({ label, sats }: { label: string; sats: number | null }) {
  if (sats === null) return null
  return (
    <span>
      <span className="block text-caption">{label}</span>
      <Price sats={sats} className="text-price [&>span]:text-on-overlay" />
    </span>
  )
}
