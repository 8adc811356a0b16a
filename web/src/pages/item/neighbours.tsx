import type { Answer } from '@ordbook/sdk/operations.ts'
import { queries } from '@ordbook/web-ui/api/client.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { BUTTON, KINDS } from '@ordbook/web-ui/ui/basics.tsx'
import { BackIcon } from '@ordbook/web-ui/ui/icons.tsx'
import type { ReactNode } from 'react'
import { inscription as words } from './strings.ts'

type Items = Answer<'browseItems'>['items']

/** Returns the previous and next item in the last loaded list with the item. */
function neighboursOf(id: string): { previous: Items[number] | undefined; next: Items[number] | undefined } {
  const lists = queries
    .getQueryCache()
    .findAll({ queryKey: ['browseItems'] })
    .toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)
    .map((each) =>
      ((each.state.data as { pages?: { items: Items }[] } | undefined)?.pages ?? []).flatMap(
        (page) => page.items,
      ),
    )
  for (const items of lists) {
    const at = items.findIndex((item) => item.inscriptionId === id)
    if (at >= 0) return { previous: items[at - 1], next: items[at + 1] }
  }
  return { previous: undefined, next: undefined }
}

/** Links to the previous and next item of the last list. */
export function Neighbours({ id }: { id: string }) {
  const { previous, next } = neighboursOf(id)
  if (!previous && !next) return null
  return (
    <nav aria-label={words.beside} className="flex gap-2">
      {previous && (
        <Way to={previous.inscriptionId} label={words.previous(previous.name)} keys="[">
          <BackIcon />
        </Way>
      )}
      {next && (
        <Way to={next.inscriptionId} label={words.next(next.name)} keys="]">
          <BackIcon className="rotate-180" />
        </Way>
      )}
    </nav>
  )
}

function Way({
  to,
  label,
  keys,
  children,
}: {
  to: string
  label: string
  keys: string
  children: ReactNode
}) {
  return (
    <Link
      to="/inscription/$id"
      params={{ id: to }}
      aria-label={label}
      aria-keyshortcuts={keys}
      className={`${BUTTON} ${KINDS.plain} !px-3`}
    >
      {children}
    </Link>
  )
}
