import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'

export const SellNow = onDemand(() => import('./sell-now.tsx').then((part) => part.SellNow))
