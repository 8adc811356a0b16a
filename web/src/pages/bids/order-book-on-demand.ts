import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'

/** Order book, loaded on demand because phones hide it initially. */
export const OrderBook = onDemand(() => import('./order-book.tsx').then((part) => part.OrderBook))
