import { type DOMAttributes, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'

/** The most that the header covers of the top of the page, in pixels. */
const HEADER = 60

/**
 * Rows of a list that grows at its top. New ones show until the reader has scrolled past the place of `top`; from there on they wait,
 * so that no row moves under the reader, while the pointer or the focus is in the list, and while it is paused. `waiting` is their number.
 */
export function useHeldRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  isPaused = false,
): {
  shown: readonly Row[]
  waiting: number
  top: RefObject<HTMLDivElement | null>
  /** Shows the rows that wait, wherever the pointer is then. */
  show: () => void
  /** For the element around the rows. */
  reading: Pick<DOMAttributes<HTMLElement>, 'onPointerEnter' | 'onPointerLeave' | 'onFocus' | 'onBlur'>
} {
  const top = useRef<HTMLDivElement>(null)
  const [isAtTop, setAtTop] = useState(true)
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const isHeld = isPaused || !isAtTop || isPointed || isFocused
  const reading = {
    // A finger that scrolls stays on no row.
    onPointerEnter: (event: PointerEvent) => setPointed(event.pointerType === 'mouse'),
    onPointerLeave: () => setPointed(false),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  }
  const keys = rows.map(keyOf)
  const all = keys.join('\n')
  const [known, keep] = useState(all)
  useEffect(() => {
    // A place below the view counts as in it, so that one long step of the wheel past it is noticed.
    const watched = new IntersectionObserver(([entry]) => setAtTop(entry!.isIntersecting), {
      rootMargin: `-${HEADER}px 0px 1000000px`,
    })
    watched.observe(top.current!)
    return () => watched.disconnect()
  }, [])
  useEffect(() => {
    if (!isHeld) keep(all)
  }, [isHeld, all])
  const show = () => {
    keep(all)
    top.current?.scrollIntoView({ block: 'center' })
  }
  if (!isHeld) return { shown: rows, waiting: 0, top, show, reading }
  const shownBefore = new Set(known.split('\n'))
  // Older rows follow at the end as the reader asks for them.
  const last = keys.findLastIndex((key) => shownBefore.has(key))
  const shown = rows.filter((_, n) => n > last || shownBefore.has(keys[n]!))
  return { shown, waiting: rows.length - shown.length, top, show, reading }
}
