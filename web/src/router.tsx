import { Frame } from './frame/frame.tsx'
import { placeOf } from './routing/places.ts'
import { type PageCodes, page, Routing } from './routing/routing.tsx'
import { titles } from './words/pages.ts'

/** The pages. Each is loaded when the browser goes there. */
const PAGES: PageCodes = {
  '/': page(() => import('./pages/home.tsx'), titles.home),
  '/collections': page(() => import('./pages/collections.tsx'), titles.collections),
  '/collection/$slug': page(() => import('./pages/collection.tsx')),
  '/inscription/$id': page(() => import('./pages/inscription.tsx')),
  '/wallet': page(() => import('./pages/wallet.tsx'), titles.portfolio),
  '/address/$address': page(() => import('./pages/address.tsx')),
  '/trades': page(() => import('./pages/trades.tsx'), titles.trades),
  '/trades/new': page(() => import('./pages/trade-builder.tsx'), titles.newTrade),
  '/trades/$id': page(() => import('./pages/trade.tsx')),
  '/receipt/$txid': page(() => import('./pages/receipt.tsx')),
  '/activity': page(() => import('./pages/activity.tsx'), titles.activity),
  '/market': page(() => import('./pages/status.tsx'), titles.status),
  '/how': page(() => import('./pages/how.tsx'), titles.how),
}

/** Loads the code of the page at a path. */
export async function loadPageAt(path: string): Promise<void> {
  const found = placeOf(path)
  if (found) await PAGES[found.place].load()
}

export const Storefront = () => (
  <Routing pages={PAGES}>
    <Frame />
  </Routing>
)
