import { createStore } from './create-store.ts'
import { store, storedJson } from './stored.ts'

const NAME = 'watched'
const MAX_WATCHED = 50

const slugsIn = (value: unknown): readonly string[] | null =>
  Array.isArray(value)
    ? value
        .filter((each) => typeof each === 'string' && /^[a-z0-9_-]{1,200}$/.test(each))
        .slice(0, MAX_WATCHED)
    : null

const watched = createStore(storedJson(NAME, slugsIn) ?? [])

/** Slugs of the watched collections, most recent first. */
export const useWatchlist = (): readonly string[] => watched.use()

/** Toggles a collection. Above 50, the oldest is dropped. */
export function toggleWatch(slug: string): void {
  const before = watched.get()
  const others = before.filter((each) => each !== slug)
  const next = (others.length < before.length ? others : [slug, ...others]).slice(0, MAX_WATCHED)
  store(NAME, next.length > 0 ? JSON.stringify(next) : null)
  watched.set(next)
}
