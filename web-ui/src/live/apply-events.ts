import type { QueryClient } from '@tanstack/react-query'
import { type CachedRead, effectOf } from './effect-of.ts'
import type { Kind, MarketEvent } from './market-event.ts'

/** Applies events to the cached reads, in order: patches the data, or marks reads as stale and refetches those on screen. */
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
    // The response of a request in flight can be older than the event.
    const isOvertaken = isApplied && state.fetchStatus === 'fetching'
    if (outdating.size === 0 && !isOvertaken) continue
    // Refetching a list of several pages costs one request per page, so a list on screen is refetched only for blocks, which are rare.
    const isLong = ((data as { pages?: readonly unknown[] } | undefined)?.pages?.length ?? 1) > 1
    const waits = isLong && !isOvertaken && !outdating.has('block')
    void queries.invalidateQueries({ queryKey, exact: true, refetchType: waits ? 'none' : 'active' })
  }
}
