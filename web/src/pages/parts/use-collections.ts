import { useRead } from '@ordbook/web-ui/api/client.ts'
import type { CollectionRow } from './collection-line.tsx'

const MAX_COLLECTIONS = 50

/** Returns up to `MAX_COLLECTIONS` collections by slug. */
export function useCollections(slugs: readonly string[]): ReadonlyMap<string, CollectionRow> {
  const sortedSlugs = [...new Set(slugs)].toSorted().slice(0, MAX_COLLECTIONS)
  const query = { slugs: sortedSlugs.join(','), sort: 'name', limit: MAX_COLLECTIONS } as const
  const { data } = useRead('browseCollections', { query }, { enabled: sortedSlugs.length > 0, keep: true })
  return new Map(data?.collections.map((collection) => [collection.slug, collection]))
}
