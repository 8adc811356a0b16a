import { createStore } from './create-store.ts'
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

const watched = createStore(storedJson(NAME, slugsIn) ?? [])

/** The slugs of the watched collections, the last one first. */
export const useWatchlist = (): readonly string[] => watched.use()

/** Begins or ends to watch a collection. Of more than 50 the oldest goes. */
export function toggleWatch(slug: string): void {
  const before = watched.get()
  const others = before.filter((each) => each !== slug)
  const next = (others.length < before.length ? others : [slug, ...others]).slice(0, MOST_WATCHED)
  store(NAME, next.length > 0 ? JSON.stringify(next) : null)
  watched.set(next)
}
