import { useCallback, useSyncExternalStore } from 'react'

/** Whether a media query matches, such as `(min-width: 1200px)`. */
function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (watcher: () => void) => {
      const list = matchMedia(query)
      list.addEventListener('change', watcher)
      return () => list.removeEventListener('change', watcher)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}

/** Phone width: below `sm` in tokens.css. */
export const useIsPhone = () => useMedia('(max-width: 599.98px)')
/** Wide enough for side columns: `lg` in tokens.css. */
export const useSideColumns = () => useMedia('(min-width: 1200px)')
