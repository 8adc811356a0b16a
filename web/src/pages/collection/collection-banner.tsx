import { usePages } from '@ordbook/web-ui/api/client.ts'
import { useSideColumns } from '@ordbook/web-ui/ui/use-media.ts'
import { ItemPicture } from '../items/item-picture.tsx'

const PICTURES = 8

const hueOf = (slug: string) => [...slug].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) % 360, 7)

/**
 * Strip of collection images on wide screens. It reuses the query of the unfiltered grid, and shows only cached items if the grid is
 * filtered.
 */
export function CollectionBanner({ slug, isGridPlain }: { slug: string; isGridPlain: boolean }) {
  const hasRoom = useSideColumns()
  const found = usePages(
    'browseItems',
    { params: { slug }, query: { sort: 'price' } },
    { enabled: hasRoom && isGridPlain },
  )
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
