import type { Answer } from '@ordbook/sdk/operations.ts'
import { queries } from '@ordbook/web-ui/api/client.ts'
import { count } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { BUTTON, KINDS } from '@ordbook/web-ui/ui/basics.tsx'
import { BackIcon } from '@ordbook/web-ui/ui/icons.tsx'
import type { ReactNode } from 'react'
import { lastList } from '../items/last-list.ts'
import { inscription as words } from './strings.ts'
import type { Inscription } from './traded.ts'

type Page = Answer<'browseItems'>
type Place = NonNullable<Inscription['neighbours']> & { all: number }

/** Returns the position of an item in the last loaded list with the item, or null. */
function placeInList(id: string): Place | null {
  const pages = (lastList.key && queries.getQueryData<{ pages: Page[] }>(lastList.key)?.pages) ?? []
  const items = pages.flatMap((page) => page.items)
  const at = items.findIndex((item) => item.inscriptionId === id)
  if (at < 0) return null
  const all = pages[0]!.total
  return { place: at + 1, all, previous: items[at - 1] ?? null, next: items[at + 1] ?? null }
}

/** Position in the last list, otherwise in the collection, with links to the previous and next item. */
export function Neighbours({ inscription }: { inscription: Inscription }) {
  const { inscriptionId, neighbours } = inscription
  const [collection] = inscription.collections
  if (!collection || !neighbours) return null
  const { place, all, previous, next } = placeInList(inscriptionId) ?? {
    ...neighbours,
    all: collection.itemCount,
  }
  return (
    <nav
      aria-label={words.beside}
      className="flex h-8 items-center justify-between gap-3 text-small text-soft"
    >
      <span className="tabular">
        {place === null ? words.ofAll(count(all)) : words.placeOf(count(place), count(all))}
      </span>
      <span className="flex gap-1">
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
      </span>
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
      className={`${BUTTON} ${KINDS.ghost} !min-h-8 !px-3`}
    >
      {children}
    </Link>
  )
}
