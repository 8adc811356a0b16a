import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'

/** Order book, loaded separately because phones do not show it initially. */
export const OrderBook = onDemand(() => import('./order-book.tsx').then((part) => part.OrderBook))
