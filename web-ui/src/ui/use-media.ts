import { useCallback, useSyncExternalStore } from 'react'

/** Whether a media query holds now, such as `(min-width: 1200px)`. */
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

/** Whether a page has the width of a phone: below `sm` in tokens.css. */
export const useIsPhone = () => useMedia('(max-width: 599.98px)')
/** Whether the page has room for its side columns. The width is that of `lg` in tokens.css. */
export const useSideColumns = () => useMedia('(min-width: 1200px)')
