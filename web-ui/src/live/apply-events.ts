import type { QueryClient } from '@tanstack/react-query'
import { type CachedRead, effectOf } from './effect-of.ts'
import type { Kind, MarketEvent } from './market-event.ts'

/** Applies events to the cached reads, and refetches stale reads on screen. */
export function applyEvents(queries: QueryClient, events: readonly MarketEvent[]): void {
  for (const { queryKey, state } of queries.getQueryCache().getAll()) {
    const [id, input] = queryKey
    if (typeof id !== 'string') continue
    let { data } = state
    const outdating = new Set<Kind>()
    for (const event of events) {
      const effect = effectOf(event, { id, input: (input ?? {}) as CachedRead['input'], data })
      if (effect === 'read') outdating.add(event.kind)
      else if (effect !== 'none') data = effect.data
    }
    const isApplied = data !== state.data
    if (isApplied) queries.setQueryData(queryKey, data, { updatedAt: state.dataUpdatedAt })
    // A response in flight can be older than the event.
    const isOvertaken = isApplied && state.fetchStatus === 'fetching'
    if (outdating.size === 0 && !isOvertaken) continue
    // Refetching a long list costs one request per page.
    const isLong = ((data as { pages?: readonly unknown[] } | undefined)?.pages?.length ?? 1) > 1
    const waits = isLong && !isOvertaken && !outdating.has('block')
    void queries.invalidateQueries({ queryKey, exact: true, refetchType: waits ? 'none' : 'active' })
  }
}
