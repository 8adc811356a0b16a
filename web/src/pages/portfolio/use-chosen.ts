import { useState } from 'react'

/** A choice of rows by their ids. */
export function useChosen() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (id: string) =>
    setChosen((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  return { chosen, toggle, clear: () => setChosen(new Set()) }
}
