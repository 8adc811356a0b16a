import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Frame, NotFound } from './frame/frame.tsx'
import { PageFailed } from './frame/page-failed.tsx'
import type { CollectionSearch } from './pages/collection-search.ts'
import { Home } from './pages/home.tsx'
import { satsParam, textParam, traitsParam } from './pages/search-params.ts'
import { titles } from './words/pages.ts'

/** The pages. All but the first are loaded when they are gone to. */
const root = createRootRoute({ component: Frame, notFoundComponent: NotFound })

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  staticData: { title: titles.home },
  component: Home,
  validateSearch: (
    search: Record<string, unknown>,
  ): { sort?: string | undefined; q?: string | undefined } => ({
    sort: textParam(search.sort),
    q: textParam(search.q),
  }),
})

const collection = createRoute({
  getParentRoute: () => root,
  path: '/collection/$slug',
  component: lazyRouteComponent(() => import('./pages/collection.tsx')),
  validateSearch: (search: Record<string, unknown>): CollectionSearch => ({
    tab: textParam(search.tab),
    sort: textParam(search.sort),
    listed: search.listed === true ? true : undefined,
    traits: traitsParam(search.traits),
    min: satsParam(search.min),
    max: satsParam(search.max),
    satribute: textParam(search.satribute),
    q: textParam(search.q),
  }),
})
const inscription = createRoute({
  getParentRoute: () => root,
  path: '/inscription/$id',
  component: lazyRouteComponent(() => import('./pages/inscription.tsx')),
})
const wallet = createRoute({
  getParentRoute: () => root,
  path: '/wallet',
  staticData: { title: titles.portfolio },
  component: lazyRouteComponent(() => import('./pages/wallet.tsx')),
  validateSearch: (search: Record<string, unknown>): { tab?: string | undefined } => ({
    tab: textParam(search.tab),
  }),
})
const address = createRoute({
  getParentRoute: () => root,
  path: '/address/$address',
  staticData: { title: titles.profile },
  component: lazyRouteComponent(() => import('./pages/address.tsx')),
})
const trades = createRoute({
  getParentRoute: () => root,
  path: '/trades',
  staticData: { title: titles.trades },
  component: lazyRouteComponent(() => import('./pages/trades.tsx')),
  validateSearch: (search: Record<string, unknown>): { tab?: string | undefined } => ({
    tab: textParam(search.tab),
  }),
})
const newTrade = createRoute({
  getParentRoute: () => root,
  path: '/trades/new',
  staticData: { title: titles.newTrade },
  component: lazyRouteComponent(() => import('./pages/trade-builder.tsx')),
})
const trade = createRoute({
  getParentRoute: () => root,
  path: '/trades/$id',
  staticData: { title: titles.trade },
  component: lazyRouteComponent(() => import('./pages/trade.tsx')),
})
const activity = createRoute({
  getParentRoute: () => root,
  path: '/activity',
  staticData: { title: titles.activity },
  component: lazyRouteComponent(() => import('./pages/activity.tsx')),
})
const status = createRoute({
  getParentRoute: () => root,
  path: '/market',
  staticData: { title: titles.status },
  component: lazyRouteComponent(() => import('./pages/status.tsx')),
})

const how = createRoute({
  getParentRoute: () => root,
  path: '/how',
  staticData: { title: titles.how },
  component: lazyRouteComponent(() => import('./pages/how.tsx')),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    collection,
    inscription,
    wallet,
    address,
    trades,
    newTrade,
    trade,
    activity,
    status,
    how,
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: PageFailed,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** The name of the page in the browser's tab, where it does not depend on what the page shows. */
    title?: string
  }
}
