import { useState } from 'react'
import { type Guard, movedGuards } from '../rules/guards.ts'

/** Stops a ticket whose total became worse since the visitor saw it. `key`: of the fields that the total is for. */
export function useMoved(
  key: string,
  totalSats: number | undefined,
  side: 'buyer' | 'seller',
): { guards: readonly Guard[]; accept: () => void } {
  const [seen, see] = useState<{ key: string; sats: number } | null>(null)
  const shown = seen?.key === key ? seen.sats : totalSats
  if (totalSats !== undefined && seen?.key !== key) see({ key, sats: totalSats })
  return {
    guards: shown === undefined || totalSats === undefined ? [] : movedGuards(shown, totalSats, side),
    accept: () => totalSats !== undefined && see({ key, sats: totalSats }),
  }
}
