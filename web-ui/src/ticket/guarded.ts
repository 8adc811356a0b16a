import { useState } from 'react'
import type { Guard } from '../rules/guards.ts'
import { guardText } from '../strings/trade.ts'

/** The button of a ticket: a press goes on, shows the risk and asks again, or does nothing. */
export interface Guarded {
  /** The button's text names the risk after a first press. */
  label: string
  /** True where a guard stops the action. */
  isStopped: boolean
  /** Goes on, or arms the button for a second press. */
  press(goOn: () => void): void
}

/** Asks for a second press where a guard wants one. The first press holds for these guards and this `subject` alone. */
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
