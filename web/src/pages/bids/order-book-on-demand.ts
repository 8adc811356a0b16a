import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'

/** The order book, which phones do not load with the page. */
export const OrderBook = onDemand(() => import('./order-book.tsx').then((part) => part.OrderBook))
