import type { Answer } from '@ordbook/sdk/operations.ts'

export type Collection = Answer<'getCollection'>

/** The part of a collection page's address that says what it shows. */
export interface CollectionSearch {
  tab?: string | undefined
  sort?: string | undefined
  listed?: boolean | undefined
  traits?: Record<string, string[]> | undefined
  min?: number | undefined
  max?: number | undefined
  satribute?: string | undefined
  q?: string | undefined
}

/** The filters of a collection page's address, as the reads take them. */
export function filtersOf(search: CollectionSearch) {
  const traits = Object.entries(search.traits ?? {})
    .filter(([, values]) => values.length > 0)
    .map(([type, values]) => ({ type, values }))
  return {
    ...(search.listed ? { listed: true } : {}),
    ...(traits.length > 0 ? { traits: JSON.stringify(traits) } : {}),
    ...(search.min !== undefined ? { minSats: search.min } : {}),
    ...(search.max !== undefined ? { maxSats: search.max } : {}),
    ...(search.satribute ? { satribute: search.satribute } : {}),
    ...(search.q ? { q: search.q } : {}),
  }
}
