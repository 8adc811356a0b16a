import { type Diagnosis, flowsBy } from '@ordbook/sdk/wallets/doctor.ts'
import { FLOWS, type Flow, KINDS } from '@ordbook/sdk/wallets/flows.ts'
import { MATRIX } from '@ordbook/sdk/wallets/matrix.ts'
import { store, storedJson } from '../state/stored.ts'

/** Results of wallet tests in this browser. `skipped`: the user declined. */
type Kept = Readonly<Record<string, Diagnosis | 'skipped'>>
const NAME = 'wallet-tests'

export interface Inability {
  name: string
  flows: string
  reason: string
}

/** Returns the known abilities of a wallet. `isAsked`: no test needs to be offered. */
export function abilitiesOf({ id, name }: { id: string; name: string }): {
  isUntested: boolean
  isAsked: boolean
  cannot: Inability[]
} {
  const tested = MATRIX.filter(({ adapter }) => adapter === id)
  const kept = tested.length > 0 ? undefined : keptTests()[id]
  const findings = kept === undefined || kept === 'skipped' ? [] : [{ name, fails: flowsBy(kept) }]
  return {
    isUntested: tested.length === 0 && findings.length === 0,
    isAsked: tested.length > 0 || kept !== undefined,
    cannot: [...tested, ...findings].flatMap((each) => inabilitiesOf(each.name, each.fails)),
  }
}

function inabilitiesOf(name: string, fails: Partial<Record<Flow, string | null>>): Inability[] {
  const byReason = new Map<string, string[]>()
  for (const [flow, reason] of Object.entries(fails))
    if (reason) byReason.set(reason, [...(byReason.get(reason) ?? []), FLOWS[flow as Flow].name])
  return [...byReason].map(([reason, flows]) => ({ name, flows: flows.join(', '), reason }))
}

export function keepTest(adapterId: string, result: Diagnosis | 'skipped'): void {
  store(NAME, JSON.stringify({ ...keptTests(), [adapterId]: result }))
}

const keptTests = (): Kept => storedJson(NAME, testsIn) ?? {}

function testsIn(value: unknown): Kept | null {
  if (typeof value !== 'object' || value === null) return null
  return Object.fromEntries(
    Object.entries(value).filter(([, kept]) => kept === 'skipped' || isDiagnosis(kept)),
  )
}

const isDiagnosis = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  KINDS.every((kind) => {
    const reason: unknown = Reflect.get(value, kind)
    return reason === null || typeof reason === 'string'
  })
