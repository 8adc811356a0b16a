import { useCart } from '@ordbook/web-ui/cart/cart.tsx'
import { useLiveEvents } from '@ordbook/web-ui/live/live.ts'
import { Link, PageOf, usePage, usePath } from '@ordbook/web-ui/routing/routing.tsx'
import { useTitle } from '@ordbook/web-ui/routing/title.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useSideColumns } from '@ordbook/web-ui/state/use-media.ts'
import { failed } from '@ordbook/web-ui/strings/errors.ts'
import { titles, frame as words } from '@ordbook/web-ui/strings/pages.ts'
import { Loading } from '@ordbook/web-ui/ui/basics.tsx'
import { Toasts } from '@ordbook/web-ui/ui/messages/toasts.tsx'
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { BottomBar } from './bottom-bar.tsx'
import { focusHeading } from './focus-heading.ts'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { keepFocus } from './keep-focus.ts'
import { Maintenance } from './maintenance.tsx'
import { Offline } from './offline.tsx'
import { PageBoundary } from './page-failed.tsx'
import { loadPalette } from './search-button.tsx'
import { useKeys } from './use-keys.ts'

const ConnectDialog = lazy(() => import('@ordbook/web-ui/session/connect-dialog.tsx'))
const AccountSwitch = lazy(() => import('@ordbook/web-ui/session/account-switch.tsx'))
const Signing = lazy(() => import('@ordbook/web-ui/signing/dialogs.tsx'))
const Palette = lazy(loadPalette)
const KeysDialog = lazy(async () => ({ default: (await loadPalette()).KeysDialog }))
const CartDialog = lazy(() => import('@ordbook/web-ui/cart/cart-dialog.tsx'))

const WITH_ASIDE = 'mx-auto grid w-full max-w-[1920px] flex-1 grid-cols-[minmax(0,1fr)_372px]'

export function Frame() {
  const { account, choosing } = useSession()
  const cart = useCart()
  const isAside = useSideColumns() && cart.isOpen
  useLiveEvents(account?.ordinalsAddress)
  const [opened, open] = useState<'search' | 'keys' | null>(null)
  const search = () => open('search')
  const close = () => open(null)
  useKeys(open)
  const main = useRef<HTMLElement>(null)
  const { href, code } = usePage()
  // Opening the palette or the cart does not render the page.
  const page = useMemo(() => (code ? <PageOf code={code} /> : <NotFound />), [code])
  const path = usePath()
  const before = useRef(path)
  useTitle(code?.title)
  useEffect(keepFocus, [])
  const wasAside = useRef(false)
  const { show: showCart } = cart
  useLayoutEffect(() => {
    // As a sheet, the cart of a window that became narrow would cover an open review.
    if (wasAside.current && !isAside) showCart(false)
    wasAside.current = isAside
  }, [isAside, showCart])
  // Screen readers announce the focused page.
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    return focusHeading(main.current!)
  }, [path])
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-control focus:bg-surface focus:p-3"
      >
        {words.skip}
      </a>
      <Header onSearch={search} />
      <Offline />
      <Maintenance />
      {/* At least screen height, so that the footer does not move while a page loads. */}
      <div className={isAside ? WITH_ASIDE : 'contents'}>
        <main
          id="main"
          ref={main}
          tabIndex={-1}
          className="mx-auto min-h-[calc(100dvh-var(--bar-height))] w-full max-w-[1920px] min-w-0 flex-1 px-4 py-5 outline-none sm:px-5 lg:px-6"
        >
          <PageBoundary href={href}>
            <Suspense fallback={<Loading />}>{page}</Suspense>
          </PageBoundary>
        </main>
        {isAside && (
          <Suspense>
            <CartDialog isAside />
          </Suspense>
        )}
      </div>
      <Footer />
      <BottomBar onSearch={search} />
      <Toasts />
      <Suspense>
        {choosing && <ConnectDialog />}
        {cart.isOpen && !isAside && <CartDialog isAside={false} />}
        {opened === 'search' && <Palette onClose={close} />}
        {opened === 'keys' && <KeysDialog onClose={close} />}
        {(account || choosing) && <Signing />}
        {account && <AccountSwitch />}
      </Suspense>
    </div>
  )
}

function NotFound() {
  useTitle(titles.missing)
  return (
    <div className="grid gap-5">
      <h1 className="text-h1">{failed.notFound}</h1>
      <Link to="/" className="underline">
        {failed.toCollections}
      </Link>
    </div>
  )
}
