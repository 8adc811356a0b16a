import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { useCart } from '@ordbook/web-ui/cart/cart.tsx'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { frame as words } from '@ordbook/web-ui/strings/pages.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { CartIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { Account } from './account.tsx'
import { Bell } from './bell.tsx'
import { SearchButton } from './search-button.tsx'

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
          <span className="truncate">{market?.name ?? 'ordbook'}</span>
          {market && market.chain !== 'main' && (
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
        <div className="hidden min-w-0 flex-1 justify-center sm:flex md:max-w-md">
          <SearchButton onOpen={onSearch} />
        </div>
        <div className="ml-auto flex shrink-0 items-center gap-1.5">
          <Bell />
          <Button kind="ghost" className="relative size-11 !px-0 text-lg" onClick={() => show(true)}>
            <CartIcon />
            <span className="sr-only">{words.cart(lines.length)}</span>
            {lines.length > 0 && (
              <span
                aria-hidden="true"
                className="tabular absolute top-0 right-0 rounded-full bg-amber px-1.5 text-bar font-semibold text-on-amber"
              >
                {lines.length}
              </span>
            )}
          </Button>
          <Account />
        </div>
      </div>
    </header>
  )
}
