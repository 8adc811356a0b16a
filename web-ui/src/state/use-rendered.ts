import { useCallback, useEffect, useRef, useState } from 'react'

/** Returns a function that resolves after earlier state changes are rendered. */
export function useRendered(): () => Promise<void> {
  const [renderCount, setRenderCount] = useState(0)
  const waiting = useRef<(() => void)[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each requested render
  useEffect(() => {
    const all = waiting.current.splice(0)
    // Other effects of this render can run later in this task.
    queueMicrotask(() => {
      for (const done of all) done()
    })
  }, [renderCount])
  return useCallback(
    () =>
      new Promise((done) => {
        waiting.current.push(done)
        setRenderCount((last) => last + 1)
      }),
    [],
  )
}
