import { useState } from 'react'
import { type Guard, movedGuards } from '../rules/guards.ts'

/** Blocks a ticket whose total got worse. `key` identifies its fields. */
export function useMoved(
  key: string,
  totalSats: number | undefined,
  side: 'buyer' | 'seller',
): { guards: readonly Guard[]; accept: () => void } {
  const [seen, setSeen] = useState<{ key: string; sats: number } | null>(null)
  const shown = seen?.key === key ? seen.sats : totalSats
  if (totalSats !== undefined && seen?.key !== key) setSeen({ key, sats: totalSats })
  return {
    guards: shown === undefined || totalSats === undefined ? [] : movedGuards(shown, totalSats, side),
    accept: () => totalSats !== undefined && setSeen({ key, sats: totalSats }),
  }
}
