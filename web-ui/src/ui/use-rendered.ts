import { useCallback, useEffect, useRef, useState } from 'react'

/** Gives a promise of the moment at which every page has taken in the states that were set before. */
export function useRendered(): () => Promise<void> {
  const [turn, setTurn] = useState(0)
  const waiting = useRef<(() => void)[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn is waited for.
  useEffect(() => {
    const all = waiting.current.splice(0)
    // The effects of the pages run in the same task, some of them after this one.
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
