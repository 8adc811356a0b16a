import type { ReactNode } from 'react'
import { useRoving } from '../ui/roving.ts'

/** Inscriptions as cards, as many in a row as there is room for. The arrow keys move between them. */
export function Grid<T extends { inscriptionId: string }>({
  of,
  children,
}: {
  of: readonly T[]
  children: (item: T) => ReactNode
}) {
  const ref = useRoving<HTMLUListElement>('grid')
  return (
    <ul
      ref={ref}
      className="grid grid-cols-[repeat(auto-fill,minmax(min(9.25rem,45%),1fr))] gap-2.5 sm:gap-3"
    >
      {of.map((item) => (
        <li key={item.inscriptionId} className="min-w-0">
          {children(item)}
        </li>
      ))}
    </ul>
  )
}
