import { type RefObject, useEffect, useRef, useState } from 'react'

/** Returns true once an element has been scrolled into view. */
export function useSeen<T extends Element>(): { ref: RefObject<T | null>; isSeen: boolean } {
  const ref = useRef<T>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return
        setSeen(true)
        watch.disconnect()
      },
      { rootMargin: '0px' },
    )
    watch.observe(ref.current!)
    return () => watch.disconnect()
  }, [])
  return { ref, isSeen }
}
