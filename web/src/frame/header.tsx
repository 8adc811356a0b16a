import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { useCart } from '@ordbook/web-ui/cart/cart.tsx'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { frame as words } from '@ordbook/web-ui/strings/pages.ts'
import { useSent } from '@ordbook/web-ui/ticket/progress/sent.ts'
import { useProgress } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { CartIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { lazy, Suspense } from 'react'
import { Account } from './account.tsx'
import { Badge, Bell } from './bell.tsx'
import { ChainChip } from './chain-chip.tsx'
import { UnitSwitch } from './preferences.tsx'
import { SearchButton } from './search-button.tsx'

const ProgressChip = lazy(async () => ({ default: (await import('./progress-chip.tsx')).ProgressChip }))

const PAGES = [
  { to: '/', label: words.explore },
  { to: '/activity', label: words.activity },
  { to: '/trades', label: words.trades },
  { to: '/wallet', label: words.portfolio },
] as const

/** Header. On narrow screens, navigation is in the bottom bar. */
export function Header({ onSearch }: { onSearch: () => void }) {
  const { market } = useSettings()
  const { lines, show } = useCart()
  const { account } = useSession()
  const isTestChain = market !== null && market.chain !== 'main'
  const hasActions = [useSent(), useProgress()].some(({ length }) => length > 0)
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-bg">
      <div className="mx-auto flex h-[var(--bar-height)] max-w-[1920px] items-center gap-2 px-4 sm:gap-3 sm:px-5 lg:px-6">
        {/* Not in the Tab order, because Explore has the same target. */}
        <Link
          to="/"
          tabIndex={-1}
          className="flex min-w-0 items-center gap-1.5 text-[16px] font-semibold tracking-tight sm:gap-2"
        >
          <img src="/favicon.svg" alt="" width={28} height={28} className="shrink-0" />
          {/* A phone has no room for both. */}
          <span className={`truncate ${isTestChain ? 'max-sm:sr-only' : ''}`}>
            {market?.name ?? 'ordbook'}
          </span>
          {market && isTestChain && (
            <span className="rounded-badge bg-tint px-1 text-badge font-semibold text-accent sm:px-1.5">
              {market.chain}
            </span>
          )}
        </Link>
        <nav aria-label={words.pages} className="hidden gap-1 md:flex">
          {PAGES.map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              className="rounded-control px-3 py-2 font-[560] text-soft hover:bg-raised hover:text-ink aria-[current=page]:bg-raised aria-[current=page]:text-ink"
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className="hidden min-w-11 flex-1 justify-center sm:flex md:max-w-md">
          <SearchButton onOpen={onSearch} />
        </div>
        <div className="ml-auto flex shrink-0 items-center gap-1.5">
          <ChainChip />
          <span className="hidden min-[1400px]:block">
            <UnitSwitch />
          </span>
          {/* Before the first action, so that screen readers announce its status. */}
          <Suspense>{(account || hasActions) && <ProgressChip />}</Suspense>
          <Bell />
          <Button kind="ghost" className="size-11 !px-0 text-lg" onClick={() => show(true)}>
            <span className="relative">
              <CartIcon />
              <Badge count={lines.length} />
            </span>
            <span className="sr-only">{words.cart(lines.length)}</span>
          </Button>
          <Account />
        </div>
      </div>
    </header>
  )
}
