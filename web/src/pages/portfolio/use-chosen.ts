import { afterPaint } from '@ordbook/web-ui/state/after-paint.ts'
import { useState } from 'react'

export function useChosen() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  // The browser shows the check box as checked before the list renders.
  const toggle = (id: string) =>
    afterPaint(() =>
      setChosen((before) => {
        const after = new Set(before)
        if (!after.delete(id)) after.add(id)
        return after
      }),
    )
  return { chosen, toggle, clear: () => setChosen(new Set()) }
}
