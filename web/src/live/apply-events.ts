import type { Query, QueryClient } from '@tanstack/react-query'
import { type CachedRead, effectOf } from './effect-of.ts'
import type { MarketEvent } from './market-event.ts'

/** Brings the cached reads up to date with events, in order: patches them, or reads again what is on the screen. */
export function applyEvents(queries: QueryClient, events: readonly MarketEvent[]): void {
  for (const query of queries.getQueryCache().getAll()) {
    const { effect, data } = effectsOn(query, events)
    // An answer that is on its way may be older than the event.
    const isOld = effect === 'none' && data !== query.state.data && query.state.fetchStatus === 'fetching'
    if (data !== query.state.data)
      queries.setQueryData(query.queryKey, data, { updatedAt: query.state.dataUpdatedAt })
    if (effect === 'none' && !isOld) continue
    void queries.invalidateQueries({
      queryKey: query.queryKey,
      exact: true,
      refetchType: effect === 'stale' ? 'none' : 'active',
    })
  }
}

/** The data of a query with all patches, and the strongest of the other effects. */
function effectsOn({ queryKey, state }: Query, events: readonly MarketEvent[]) {
  const [id, input] = queryKey
  if (typeof id !== 'string') return { effect: 'none' as const, data: state.data }
  let { data } = state
  const effects = new Set<'none' | 'read' | 'stale'>()
  for (const event of events) {
    const effect = effectOf(event, { id, input: (input ?? {}) as CachedRead['input'], data })
    if (typeof effect === 'string') effects.add(effect)
    else data = effect.data
  }
  const effect = (['read', 'stale'] as const).find((each) => effects.has(each)) ?? ('none' as const)
  return { effect, data }
}
