import { placeOf } from '@ordbook/web-ui/routing/places.ts'
import { type PageCodes, page, Routing } from '@ordbook/web-ui/routing/routing.tsx'
import { titles } from '@ordbook/web-ui/strings/pages.ts'
import { Frame } from './frame/frame.tsx'

const PAGES: PageCodes = {
  '/': page(() => import('./pages/home/home.tsx'), titles.home),
  '/collections': page(() => import('./pages/collections/collections.tsx'), titles.collections),
  '/collection/$slug': page(() => import('./pages/collection/collection.tsx')),
  '/inscription/$id': page(() => import('./pages/item/inscription.tsx')),
  '/wallet': page(() => import('./pages/portfolio/wallet.tsx'), titles.portfolio),
  '/inbox': page(() => import('./pages/inbox/inbox.tsx'), titles.inbox),
  '/address/$address': page(() => import('./pages/address/address.tsx')),
  '/trades': page(() => import('./pages/trade/trades.tsx'), titles.trades),
  '/trades/new': page(() => import('./pages/trade/trade-builder.tsx'), titles.newTrade),
  '/trades/$id': page(() => import('./pages/trade/trade.tsx')),
  '/receipt/$txid': page(() => import('./pages/reference/receipt.tsx')),
  '/activity': page(() => import('./pages/activity/activity.tsx'), titles.activity),
  '/market': page(() => import('./pages/market/status.tsx'), titles.status),
  '/how': page(() => import('./pages/reference/how.tsx'), titles.how),
}

/** Loads the code of the page at a path, if any. */
export async function loadPageAt(path: string): Promise<void> {
  const found = placeOf(path)
  if (found) await PAGES[found.place].load()
}

export const Storefront = () => (
  <Routing pages={PAGES}>
    <Frame />
  </Routing>
)
