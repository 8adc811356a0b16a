import { useState } from 'react'
import type { Guard } from '../rules/guards.ts'
import { guardText } from '../strings/trade.ts'

export interface Guarded {
  /** Names the risk after the first press. */
  label: string
  isStopped: boolean
  press(run: () => void): void
}

/** Requires a second click if a guard warns. `risk`: label of the second click, by default of the first warning. */
export function useGuarded(label: string, guards: readonly Guard[], subject: string, risk?: string): Guarded {
  const [confirmed, setConfirmed] = useState<string | null>(null)
  const risks = guards.filter((guard) => guard.level === 'confirm')
  const risksKey = JSON.stringify([subject, risks.map((risk) => risk.id)])
  const isArmed = risks.length > 0 && confirmed === risksKey
  const isStopped = guards.some((guard) => guard.level === 'stop')
  return {
    label: isArmed ? (risk ?? guardText(risks[0]!).risk ?? label) : label,
    isStopped,
    press(run) {
      if (isStopped) return
      if (risks.length > 0 && !isArmed) return setConfirmed(risksKey)
      setConfirmed(null)
      run()
    },
  }
}
