import { type PointerEvent, type SyntheticEvent, useRef } from 'react'

const LONG_MILLISECONDS = 450
/** Maximum movement of a press. Further movement scrolls. */
const MAX_PIXELS = 10

/** Returns handlers that call `act` on a long touch and suppress the click. */
export function useLongPress(act: () => unknown) {
  const touch = useRef<{ x: number; y: number; timer: ReturnType<typeof setTimeout> } | null>(null)
  const wasLong = useRef(false)
  const end = () => {
    clearTimeout(touch.current?.timer)
    touch.current = null
  }
  const swallow = (event: SyntheticEvent) => {
    if (!wasLong.current) return
    event.preventDefault()
    event.stopPropagation()
  }
  return {
    onPointerDown({ pointerType, clientX: x, clientY: y }: PointerEvent) {
      wasLong.current = false
      if (pointerType !== 'touch') return
      const timer = setTimeout(() => {
        wasLong.current = true
        act()
      }, LONG_MILLISECONDS)
      touch.current = { x, y, timer }
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const { x, y } = touch.current ?? { x: clientX, y: clientY }
      if (Math.hypot(clientX - x, clientY - y) > MAX_PIXELS) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
    onContextMenu(event: SyntheticEvent) {
      if (touch.current || wasLong.current) event.preventDefault()
    },
    onClickCapture: swallow,
  }
}
