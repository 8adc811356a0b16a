import { pagesKey, queries, usePages } from '@ordbook/web-ui/api/client.ts'
import { useSideColumns } from '@ordbook/web-ui/state/use-media.ts'
import { ItemPicture } from '../items/item-picture.tsx'

const PICTURES = 8

const hueOf = (slug: string) => [...slug].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) % 360, 7)

/** Strip of collection images on wide screens, the same in all tabs and with any filter. */
export function CollectionBanner({ slug }: { slug: string }) {
  const hasRoom = useSideColumns()
  const input = { params: { slug }, query: { sort: 'price' } } as const
  // The query of the unfiltered grid. If the grid is not shown, events must not refetch it.
  const isKnown = queries.getQueryData(pagesKey('browseItems', input)) !== undefined
  const found = usePages('browseItems', input, { enabled: hasRoom && !isKnown })
  if (!hasRoom) return null
  const hue = hueOf(slug)
  const tone = (turn: number) => `oklch(from var(--raised) l 0.07 ${hue + turn})`
  return (
    <div
      aria-hidden="true"
      className="flex h-32 overflow-hidden rounded-panel [mask-image:linear-gradient(black_45%,transparent)]"
      style={{ backgroundImage: `linear-gradient(100deg, ${tone(0)}, ${tone(70)})` }}
    >
      {found.data?.pages[0]?.items.slice(0, PICTURES).map((item) => (
        <span
          key={item.inscriptionId}
          className="h-full w-1/8 shrink-0 [&_img]:object-cover [&>*]:aspect-auto [&>*]:h-full"
        >
          <ItemPicture item={item} />
        </span>
      ))}
    </div>
  )
}
