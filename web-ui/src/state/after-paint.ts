import { useEffect, useState } from 'react'

/** Runs a function after the next paint, so that a pressed control updates first. */
export const afterPaint = (run: () => void): void => {
  requestAnimationFrame(() => setTimeout(run))
}

/** Returns the value as of the last paint, so that a change can be painted before what is slow to render. */
export function usePainted<T>(value: T): T {
  const [painted, setPainted] = useState(value)
  useEffect(() => afterPaint(() => setPainted(() => value)), [value])
  return painted
}
