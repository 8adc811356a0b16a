import type { Place } from '@ordbook/web-ui/routing/places.ts'
import { goTo } from '@ordbook/web-ui/routing/routing.tsx'

/** Pages by the key pressed after G. */
const PLACES: Record<string, Place> = { h: '/', a: '/activity', t: '/trades', p: '/wallet' }

/** Opens the page of a key pressed after G, if there is one. */
export function goByKey(key: string): void {
  const to = PLACES[key]
  if (to) goTo({ to: to as '/' })
}
