import { home as words } from '@ordbook/web-ui/strings/home.ts'
import { Select } from '@ordbook/web-ui/ui/basics.tsx'
import type { ReactNode } from 'react'
import { SORTS } from './collection-table.tsx'

const WINDOWS = ['1h', '24h', '7d', '30d', 'all'] as const

interface Search {
  sort?: string | undefined
  window?: string | undefined
}

/** Parses sort and window. The default window, seven days, is undefined. */
export function rankingIn(search: Search) {
  const [sort] = SORTS.find(([id]) => id === search.sort) ?? SORTS[0]
  const window = WINDOWS.find((window) => window === search.window)
  return { sort, ...(window ? { window } : {}) }
}

export function RankingControls({
  ranking: { sort, window = '7d' },
  set,
  children,
}: {
  ranking: ReturnType<typeof rankingIn>
  set: (next: Search) => void
  children?: ReactNode
}) {
  return (
    <>
      <fieldset className="flex rounded-button border border-line bg-raised p-0.5">
        <legend className="sr-only">{words.window}</legend>
        {WINDOWS.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === window}
            onClick={() => set({ window: each })}
            className="min-h-9 rounded-control px-3 text-small font-[560] text-soft hover:text-ink aria-pressed:bg-surface aria-pressed:text-ink"
          >
            {words.windows[each]}
          </button>
        ))}
      </fieldset>
      {children}
      <label className="ml-auto flex items-center gap-2 text-soft">
        <span className="max-sm:sr-only">{words.sortBy}</span>
        <Select inline options={SORTS} value={sort} onChange={(next) => set({ sort: next })} />
      </label>
    </>
  )
}
