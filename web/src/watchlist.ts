import { useSyncExternalStore } from 'react'
import { store, storedJson } from './stored.ts'

/** The collections that the visitor watches, by slug, kept in the browser. */
const NAME = 'watched'
const MOST_WATCHED = 50

const slugsIn = (value: unknown): readonly string[] | null =>
  Array.isArray(value)
    ? value
        .filter((each) => typeof each === 'string' && /^[a-z0-9_-]{1,200}$/.test(each))
        .slice(0, MOST_WATCHED)
    : null

let watched = storedJson(NAME, slugsIn) ?? []
const readers = new Set<() => void>()
const subscribe = (reader: () => void) => {
  readers.add(reader)
  return () => {
    readers.delete(reader)
  }
}

/** The slugs of the watched collections, the last one first. */
export const useWatchlist = (): readonly string[] => useSyncExternalStore(subscribe, () => watched)

/** Begins or ends to watch a collection. Of more than 50 the oldest goes. */
export function toggleWatch(slug: string): void {
  const others = watched.filter((each) => each !== slug)
  watched = (others.length < watched.length ? others : [slug, ...others]).slice(0, MOST_WATCHED)
  store(NAME, watched.length > 0 ? JSON.stringify(watched) : null)
  for (const reader of readers) reader()
}
