import { useCallback, useEffect, useRef, useState } from 'react'

/** Returns a function whose promise resolves once all state set before has been rendered. */
export function useRendered(): () => Promise<void> {
  const [turn, setTurn] = useState(0)
  const waiting = useRef<(() => void)[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn is waited for.
  useEffect(() => {
    const all = waiting.current.splice(0)
    // Other effects of this render run in the same task, some of them after this one.
    queueMicrotask(() => {
      for (const done of all) done()
    })
  }, [turn])
  return useCallback(
    () =>
      new Promise((done) => {
        waiting.current.push(done)
        setTurn((last) => last + 1)
      }),
    [],
  )
}
