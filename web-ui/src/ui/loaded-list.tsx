import type { ReactNode } from 'react'
import { Loaded, More } from './basics.tsx'

interface Pages<Page> {
  data: { pages: Page[] } | undefined
  error: unknown
  refetch: () => unknown
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

/** Renders a paginated query, including its loading, error and empty states and a button that loads more. */
export function LoadedList<Page, Row>({
  of,
  rows,
  what,
  empty,
  className,
  children,
}: {
  of: Pages<Page>
  rows: (page: Page) => readonly Row[]
  what?: string
  empty: ReactNode
  className?: string
  children: (rows: readonly Row[]) => ReactNode
}) {
  return (
    <Loaded of={of} {...(what ? { what } : {})}>
      {({ pages }) => {
        const all = pages.flatMap((page) => rows(page))
        // A filtered page can be empty before the last page.
        if (all.length === 0 && !of.hasNextPage) return empty
        const list = (
          <>
            {children(all)}
            <More of={of} />
          </>
        )
        return className ? <div className={className}>{list}</div> : list
      }}
    </Loaded>
  )
}
