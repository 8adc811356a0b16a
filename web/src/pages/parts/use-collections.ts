import { useRead } from '@ordbook/web-ui/api/client.ts'
import type { CollectionRow } from './collection-line.tsx'

/** Most collections per request. */
const MOST = 50

/** Collections by slug, to add marks and floors to a list whose rows lack them. At most `MOST`. */
export function useCollections(slugs: readonly string[]): ReadonlyMap<string, CollectionRow> {
  const asked = [...new Set(slugs)].toSorted().slice(0, MOST)
  const query = { slugs: asked.join(','), sort: 'name', limit: MOST } as const
  const { data } = useRead('browseCollections', { query }, { enabled: asked.length > 0, keep: true })
  return new Map(data?.collections.map((each) => [each.slug, each]))
}
