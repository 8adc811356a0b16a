import { type DOMAttributes, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'

/** Maximum height of the header, in pixels. */
const HEADER = 60

/** Holds back new rows while the visitor reads, so that rows do not move. `waiting`: number of rows held back. */
export function useHeldRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  isPaused = false,
): {
  shown: readonly Row[]
  waiting: number
  top: RefObject<HTMLDivElement | null>
  /** Shows the held rows immediately. */
  show: () => void
  reading: Pick<DOMAttributes<HTMLElement>, 'onPointerEnter' | 'onPointerLeave' | 'onFocus' | 'onBlur'>
} {
  const top = useRef<HTMLDivElement>(null)
  const [isAtTop, setAtTop] = useState(true)
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const isHeld = isPaused || !isAtTop || isPointed || isFocused
  const reading = {
    // Ignore touch, because a scrolling finger leaves the row.
    onPointerEnter: (event: PointerEvent) => setPointed(event.pointerType === 'mouse'),
    onPointerLeave: () => setPointed(false),
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
  }
  const keys = rows.map(keyOf)
  const all = keys.join('\n')
  const [known, keep] = useState(all)
  useEffect(() => {
    // The bottom margin detects large scroll steps past `top`.
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
  const last = keys.findLastIndex((key) => shownBefore.has(key))
  const shown = rows.filter((_, n) => n > last || shownBefore.has(keys[n]!))
  return { shown, waiting: rows.length - shown.length, top, show, reading }
}
