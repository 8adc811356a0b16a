import type { ReactNode } from 'react'

/** Inscriptions as cards, as many in a row as there is room for. */
export function Grid<T extends { inscriptionId: string }>({
  of,
  children,
}: {
  of: readonly T[]
  children: (item: T) => ReactNode
}) {
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(9.25rem,45%),1fr))] gap-3">
      {of.map((item) => (
        <li key={item.inscriptionId} className="min-w-0">
          {children(item)}
        </li>
      ))}
    </ul>
  )
}
