import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'

/** Selling into an offer, which pages load once an owner presses for it. */
export const SellNow = onDemand(() => import('./sell-now.tsx').then((part) => part.SellNow))
