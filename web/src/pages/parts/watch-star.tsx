import { toggleWatch, useWatchlist } from '@ordbook/web-ui/state/watchlist.ts'
import { home as words } from '@ordbook/web-ui/strings/home.ts'

/** Button that adds a collection to the watchlist. `byKeyAlone` removes it from the Tab order on pages with the shortcut W. */
export function WatchStar({
  slug,
  name,
  byKeyAlone = false,
}: {
  slug: string
  name: string
  byKeyAlone?: boolean
}) {
  const isWatched = useWatchlist().includes(slug)
  return (
    <button
      type="button"
      aria-pressed={isWatched}
      aria-keyshortcuts="W"
      tabIndex={byKeyAlone ? -1 : 0}
      aria-label={words.watch(name)}
      onClick={() => toggleWatch(slug)}
      className={`grid size-9 shrink-0 place-items-center rounded-control text-base hover:bg-raised ${isWatched ? 'text-accent' : 'text-soft'}`}
    >
      <svg
        viewBox="0 0 24 24"
        width="1em"
        height="1em"
        fill={isWatched ? 'currentColor' : 'none'}
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        <path d="M12 4l2.5 5.2 5.7.7-4.2 4 1.1 5.6-5.1-2.8-5.1 2.8 1.1-5.6-4.2-4 5.7-.7z" />
      </svg>
    </button>
  )
}
