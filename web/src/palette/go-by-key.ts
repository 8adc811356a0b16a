import type { Place } from '@ordbook/web-ui/routing/places.ts'
import { goTo } from '@ordbook/web-ui/routing/routing.tsx'

const PLACES: Record<string, Place> = { h: '/', a: '/activity', t: '/trades', p: '/wallet' }

export function goByKey(key: string): void {
  const to = PLACES[key]
  if (to) goTo({ to: to as '/' })
}
