import type { Answer } from '@ordbook/sdk/operations.ts'
import type { CollectionSearch } from '@ordbook/web-ui/routing/places.ts'

export type Collection = Answer<'getCollection'>

/** Counts of offers stop here: `MAX_COUNTED_OFFERS` of the contract. */
export const MAX_OFFERS = 1000

/** Converts search parameters to API filters. */
export function filtersOf(search: CollectionSearch) {
  const traits = Object.entries(search.traits ?? {})
    .filter(([, values]) => values.length > 0)
    .map(([type, values]) => ({ type, values }))
  return {
    ...(search.listed ? { listed: true } : {}),
    ...(search.offered ? { offered: true } : {}),
    ...(traits.length > 0 ? { traits: JSON.stringify(traits) } : {}),
    ...(search.min !== undefined ? { minSats: search.min } : {}),
    ...(search.max !== undefined ? { maxSats: search.max } : {}),
    ...(search.satribute ? { satribute: search.satribute } : {}),
    ...(search.q ? { q: search.q } : {}),
  }
}
