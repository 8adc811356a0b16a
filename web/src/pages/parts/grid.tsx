import { useRoving } from '@ordbook/web-ui/ui/roving.ts'
import type { ReactNode } from 'react'

/** The least widths of cards: 2, 4, 5 and 8 in a row of a collection at the widths of the design; small ones 3, 6, 8 and 12. */
const COLUMNS = 'grid-cols-[repeat(auto-fill,minmax(min(9.25rem,45%),1fr))]'
const DENSE_COLUMNS =
  'grid-cols-[repeat(auto-fill,minmax(min(5.69rem,30%),1fr))] sm:grid-cols-[repeat(auto-fill,minmax(6.9rem,1fr))] lg:grid-cols-[repeat(auto-fill,minmax(5.69rem,1fr))]'

/** Inscriptions as cards, as many in a row as there is room for. The arrow keys move between them. */
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
