import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { bell } from '@ordbook/web-ui/strings/inbox/bell.ts'
import { frame as words } from '@ordbook/web-ui/strings/pages.ts'
import { ActivityIcon, ExploreIcon, SearchIcon, SwapIcon, WalletIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { Badge, useUnread } from './bell.tsx'

const ITEM =
  'flex min-w-0 flex-1 flex-col items-center justify-center gap-1 text-bar font-semibold text-soft aria-[current=page]:text-accent'
const PLACES = [
  { to: '/trades', label: words.trades, Icon: SwapIcon },
  { to: '/activity', label: words.activity, Icon: ActivityIcon },
  { to: '/wallet', label: words.portfolio, Icon: WalletIcon },
] as const

/** Bottom navigation on phones and tablets. On phones, the trade bar of an item replaces it. */
export function BottomBar({ onSearch }: { onSearch: () => void }) {
  const unread = useUnread()
  const counts: Readonly<Record<string, number>> = {
    '/trades': unread.trades,
    '/wallet': unread.all - unread.trades,
  }
  return (
    <nav
      aria-label={words.pages}
      data-page-bar
      className="fixed inset-x-0 bottom-0 z-30 flex h-[var(--page-bar)] border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <Link to="/" className={ITEM}>
        <ExploreIcon className="text-2xl" />
        {words.explore}
      </Link>
      <button type="button" className={ITEM} onClick={onSearch}>
        <SearchIcon className="text-2xl" />
        {words.search}
      </button>
      {PLACES.map(({ to, label, Icon }) => (
        <Link key={to} to={to} className={ITEM}>
          <span className="relative">
            <Icon className="text-2xl" />
            <Badge count={counts[to] ?? 0} />
          </span>
          <span>
            {label}
            <span className="sr-only">{bell.unread(counts[to] ?? 0)}</span>
          </span>
        </Link>
      ))}
    </nav>
  )
}
