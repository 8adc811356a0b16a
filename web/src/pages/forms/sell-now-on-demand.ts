import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'

/** The dialog to sell into an offer, loaded on first use. */
export const SellNow = onDemand(() => import('./sell-now.tsx').then((part) => part.SellNow))
