import { useCallback, useSyncExternalStore } from 'react'

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

/** Returns true on a phone: below `sm` in tokens.css. */
export const useIsPhone = () => useMedia('(max-width: 599.98px)')
/** Returns true on phones and tablets. */
export const useIsTouch = () => useMedia('(pointer: coarse)')
/** Returns true if side columns fit: `lg` in tokens.css. */
export const useSideColumns = () => useMedia('(min-width: 1200px)')
