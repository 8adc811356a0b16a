import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { type FormEvent, lazy, Suspense, useEffect, useId, useRef, useState } from 'react'
import { useCart } from './cart.tsx'
import { useRead, useSettled } from './client.ts'
import { shortAddress, shortId } from './format.ts'
import { useLive, useLiveEvents } from './live.ts'
import { useSession } from './session.tsx'
import { useSettings } from './settings.tsx'
import { BUTTON, Button, KINDS, Select } from './ui/basics.tsx'
import { CartIcon, MoonIcon, SearchIcon, SunIcon, WalletIcon } from './ui/icons.tsx'
import { Toasts } from './ui/toasts.tsx'

const ConnectDialog = lazy(() => import('./connect-dialog.tsx'))
const Signing = lazy(() => import('./signing/dialogs.tsx'))
const CartDialog = lazy(() => import('./cart-dialog.tsx'))

const NAV = [
  { to: '/', label: 'Collections' },
  { to: '/trades', label: 'Trades' },
  { to: '/activity', label: 'Activity' },
  { to: '/wallet', label: 'Wallet' },
] as const

const UNITS = [
  ['btc', 'BTC'],
  ['sats', 'sats'],
] as const
const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

/** The header, footer and dialogs around every page. */
export function Frame() {
  const { account, choosing } = useSession()
  const cart = useCart()
  useLiveEvents()
  const path = useRouterState({ select: (state) => state.location.pathname })
  const main = useRef<HTMLElement>(null)
  const before = useRef(path)
  // A screen reader announces the new page, and the keyboard goes on from its content.
  useEffect(() => {
    if (before.current !== path) main.current?.focus({ preventScroll: true })
    before.current = path
  }, [path])
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded focus:bg-sheet focus:p-3"
      >
        Skip to the content
      </a>
      <Header />
      <main
        id="main"
        ref={main}
        tabIndex={-1}
        className="mx-auto w-full max-w-7xl flex-1 px-4 py-6 outline-none sm:px-6"
      >
        <Suspense>
          <Outlet />
        </Suspense>
      </main>
      <Footer />
      <Toasts />
      <Suspense>
        {choosing && <ConnectDialog />}
        {cart.isOpen && <CartDialog />}
        {/* Whoever may sign; a visitor's page does not load it. */}
        {(account || choosing) && <Signing />}
      </Suspense>
    </div>
  )
}

function Header() {
  const { market } = useSettings()
  const { lines, show } = useCart()
  return (
    <header className="z-30 border-b border-line bg-paper/95 backdrop-blur sm:sticky sm:top-0">
      <div className="mx-auto flex max-w-7xl flex-wrap items-center gap-x-5 gap-y-2 px-4 py-2.5 sm:px-6">
        <Link to="/" className="flex items-center gap-2 text-lg font-semibold tracking-tight">
          <img src="/favicon.svg" alt="" className="size-7" />
          {market?.name ?? 'ordbook'}
          {market && market.chain !== 'main' && (
            <span className="rounded bg-glow px-1.5 text-xs font-medium text-lamp">{market.chain}</span>
          )}
        </Link>
        <nav aria-label="Pages" className="order-4 flex w-full gap-1 overflow-x-auto sm:order-none sm:w-auto">
          {NAV.map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              className="rounded-lg px-3 py-2 text-sm font-medium text-soft hover:bg-sunk hover:text-ink aria-[current=page]:text-ink"
            >
              {label}
            </Link>
          ))}
        </nav>
        <Search />
        <div className="ml-auto flex items-center gap-0.5 sm:gap-1.5">
          <Button kind="ghost" className="relative !px-2.5 text-lg" onClick={() => show(true)}>
            <CartIcon />
            <span className="sr-only">Cart, {lines.length} inscriptions</span>
            {lines.length > 0 && (
              <span
                aria-hidden="true"
                className="absolute -top-0.5 -right-0.5 rounded-full bg-lamp px-1.5 text-[11px] font-semibold text-lamp-ink"
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

function Account() {
  const { account, choose, signOut } = useSession()
  if (account === undefined) return <span className="w-24" />
  if (account === null)
    return (
      <Button kind="main" onClick={() => choose(true)}>
        <WalletIcon />
        Connect wallet
      </Button>
    )
  return (
    <div className="flex items-center gap-1">
      <Link to="/wallet" className={`${BUTTON} ${KINDS.plain} !px-2 font-mono !text-xs sm:!px-4`}>
        {shortAddress(account.ordinalsAddress)}
      </Link>
      <Button kind="ghost" className="!px-2 sm:!px-4" onClick={() => void signOut()}>
        Sign out
      </Button>
    </div>
  )
}

function Search() {
  const [text, setText] = useState('')
  const asked = useSettled(text.trim())
  const navigate = useNavigate()
  const list = useId()
  const found = useRead('search', { query: { q: asked } }, { enabled: asked.length > 0, keep: true })
  const collections = asked ? (found.data?.collections ?? []) : []
  const inscriptions = asked ? (found.data?.inscriptions ?? []) : []
  const close = () => setText('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const [collection] = collections
    const [inscription] = inscriptions
    if (collection) void navigate({ to: '/collection/$slug', params: { slug: collection.slug } })
    else if (inscription) void navigate({ to: '/inscription/$id', params: { id: inscription.inscriptionId } })
    else return
    close()
  }
  const link = 'flex min-h-10 items-center justify-between gap-3 rounded-lg px-3 text-sm hover:bg-sunk'
  return (
    <search className="relative order-5 w-full sm:order-none sm:w-64 lg:w-80">
      <form onSubmit={submit}>
        <label className="relative block">
          <span className="sr-only">Search collections and inscriptions</span>
          <SearchIcon className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-soft" />
          <input
            type="search"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => event.key === 'Escape' && close()}
            placeholder="Collection, number or id"
            aria-controls={list}
            className="min-h-10 w-full rounded-lg border border-edge bg-sheet pr-3 pl-9 text-sm placeholder:text-soft"
          />
        </label>
      </form>
      <div id={list} aria-live="polite">
        {asked && found.data && (
          <ul className="panel absolute inset-x-0 top-12 z-40 max-h-96 overflow-y-auto p-1.5 shadow-xl">
            {collections.map((each) => (
              <li key={each.slug}>
                <Link to="/collection/$slug" params={{ slug: each.slug }} onClick={close} className={link}>
                  <span>{each.name}</span>
                  <span className="text-soft">{each.itemCount} items</span>
                </Link>
              </li>
            ))}
            {inscriptions.map((each) => (
              <li key={each.inscriptionId}>
                <Link
                  to="/inscription/$id"
                  params={{ id: each.inscriptionId }}
                  onClick={close}
                  className={link}
                >
                  <span>Inscription {each.inscriptionNumber}</span>
                  <span className="font-mono text-xs text-soft">{shortId(each.inscriptionId)}</span>
                </Link>
              </li>
            ))}
            {collections.length + inscriptions.length === 0 && (
              <li className="px-3 py-4 text-sm text-soft">Nothing is called “{asked}” here.</li>
            )}
          </ul>
        )}
      </div>
    </search>
  )
}

function Footer() {
  const { unit, setUnit, theme, setTheme, fiat } = useSettings()
  const live = useLive()
  const status = useRead('getStatus', {}, { refetchInterval: 20_000 })
  const lag = status.data?.lagBlocks ?? 0
  const isPaused = status.data?.trading === 'paused'
  const units: readonly (readonly [typeof unit, string])[] = fiat
    ? [...UNITS, ['fiat', fiat.currency]]
    : UNITS
  return (
    <footer className="border-t border-line">
      <div className="mx-auto flex max-w-7xl flex-wrap items-center gap-x-6 gap-y-3 px-4 py-4 text-sm text-soft sm:px-6">
        <Link to="/market" className="flex items-center gap-2 hover:text-ink">
          <span
            aria-hidden="true"
            className={`size-2.5 rounded-full ${isPaused ? 'bg-bad' : live ? 'bg-good' : 'bg-edge'}`}
          />
          {status.data
            ? `${isPaused ? 'Trading paused' : 'Trading open'} · block ${status.data.indexHeight ?? '?'}${lag > 0 ? `, ${lag} behind` : ''} · ${live ? 'live' : 'not live'}`
            : 'Market status'}
        </Link>
        <a href="/docs" className="hover:text-ink">
          API
        </a>
        <div className="ml-auto flex items-center gap-3">
          <label className="flex items-center gap-2">
            Amounts in
            <Select inline options={units} value={unit} onChange={setUnit} />
          </label>
          <label className="flex items-center gap-2">
            <span className="sr-only">Theme</span>
            {theme === 'dark' ? <MoonIcon /> : <SunIcon />}
            <Select inline options={THEMES} value={theme} onChange={setTheme} />
          </label>
        </div>
      </div>
    </footer>
  )
}

export function NotFound() {
  return (
    <div className="grid gap-5">
      <h1 className="text-2xl font-semibold">There is no such page</h1>
      <Link to="/" className="underline">
        To the collections
      </Link>
    </div>
  )
}
