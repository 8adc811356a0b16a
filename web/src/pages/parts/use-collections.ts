import { useRead } from '@ordbook/web-ui/api/client.ts'
import type { CollectionRow } from './collection-line.tsx'

/** The most collections that one read names. */
const MOST = 50

/** Some collections by slug, for what a list of something else does not say of them: their mark and their floor. */
export function useCollections(slugs: readonly string[]): ReadonlyMap<string, CollectionRow> {
  const asked = [...new Set(slugs)].toSorted().slice(0, MOST)
  const query = { slugs: asked.join(','), sort: 'name', limit: MOST } as const
  const { data } = useRead('browseCollections', { query }, { enabled: asked.length > 0, keep: true })
  return new Map(data?.collections.map((each) => [each.slug, each]))
}
