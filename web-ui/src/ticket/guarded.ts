import { useState } from 'react'
import type { Guard } from '../rules/guards.ts'
import { guardText } from '../strings/trade.ts'

/** A button that runs an action, asks for a second press, or is blocked. */
export interface Guarded {
  /** After the first press, names the risk. */
  label: string
  /** True if a guard blocks the action. */
  isStopped: boolean
  /** Runs the action, or asks for a second press. */
  press(goOn: () => void): void
}

/** Requires a second press if a guard asks for it. A first press counts only for the same `subject` and guards. */
export function useGuarded(label: string, guards: readonly Guard[], subject: string): Guarded {
  const [confirmed, setConfirmed] = useState<string | null>(null)
  const risks = guards.filter((each) => each.level === 'confirm')
  const asked = JSON.stringify([subject, risks.map((each) => each.id)])
  const isArmed = risks.length > 0 && confirmed === asked
  const isStopped = guards.some((each) => each.level === 'stop')
  return {
    label: isArmed ? (guardText(risks[0]!).risk ?? label) : label,
    isStopped,
    press(goOn) {
      if (isStopped) return
      if (risks.length > 0 && !isArmed) return setConfirmed(asked)
      setConfirmed(null)
      goOn()
    },
  }
}
