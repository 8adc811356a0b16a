import { useRoving } from '@ordbook/web-ui/ui/roving.ts'
import type { ReactNode } from 'react'

/** Minimum card widths, for 2, 4, 5 and 8 columns at the design's breakpoints; compact cards 3, 6, 8 and 12. */
const COLUMNS = 'grid-cols-[repeat(auto-fill,minmax(min(9.25rem,45%),1fr))]'
const DENSE_COLUMNS =
  'grid-cols-[repeat(auto-fill,minmax(min(5.69rem,30%),1fr))] sm:grid-cols-[repeat(auto-fill,minmax(6.9rem,1fr))] lg:grid-cols-[repeat(auto-fill,minmax(5.69rem,1fr))]'

/** Responsive grid of inscriptions with arrow keys. */
export function Grid<T extends { inscriptionId: string }>({
  of,
  dense = false,
  children,
}: {
  of: readonly T[]
  dense?: boolean
  children: (item: T) => ReactNode
}) {
  const ref = useRoving<HTMLUListElement>('grid')
  return (
    <ul ref={ref} className={`grid ${dense ? `${DENSE_COLUMNS} gap-2` : `${COLUMNS} gap-2.5 sm:gap-3`}`}>
      {of.map((item) => (
        <li key={item.inscriptionId} className="min-w-0">
          {children(item)}
        </li>
      ))}
    </ul>
  )
}
