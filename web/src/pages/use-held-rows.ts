import { type RefObject, useEffect, useRef, useState } from 'react'

/** The most that the header covers of the top of the page, in pixels. */
const HEADER = 60

/**
 * Rows of a list that grows at its top. New ones show until the reader has scrolled past the place of `top`; from there on they wait,
 * so that no row moves under the reader. `waiting` is their number.
 */
export function useHeldRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): { shown: readonly Row[]; waiting: number; top: RefObject<HTMLDivElement | null> } {
  const top = useRef<HTMLDivElement>(null)
  const [isAtTop, setAtTop] = useState(true)
  const keys = rows.map(keyOf)
  const all = keys.join('\n')
  const [known, keep] = useState(all)
  useEffect(() => {
    const watched = new IntersectionObserver(
      ([entry]) => setAtTop(entry!.isIntersecting || entry!.boundingClientRect.top > HEADER),
      { rootMargin: `-${HEADER}px 0px 0px` },
    )
    watched.observe(top.current!)
    return () => watched.disconnect()
  }, [])
  useEffect(() => {
    if (isAtTop) keep(all)
  }, [isAtTop, all])
  if (isAtTop) return { shown: rows, waiting: 0, top }
  const shownBefore = new Set(known.split('\n'))
  // Older rows follow at the end as the reader asks for them.
  const last = keys.findLastIndex((key) => shownBefore.has(key))
  const shown = rows.filter((_, n) => n > last || shownBefore.has(keys[n]!))
  return { shown, waiting: rows.length - shown.length, top }
}
