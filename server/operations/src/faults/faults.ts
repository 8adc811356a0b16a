import { guide } from '@ordbook/process/guide.ts'
import { DATABASE_FAULTS } from './database.ts'
import type { FaultEntry } from './fault.ts'
import { KEY_FAULTS } from './keys.ts'
import { MACHINE_FAULTS } from './machine.ts'
import { MARKET_FAULTS } from './market.ts'
import { MIRROR_FAULTS } from './mirror.ts'
import { NODE_FAULTS } from './node.ts'

/** The faults by area, as in docs/reference/faults.md. */
export const FAULT_AREAS = {
  'Settings, processes and machine': MACHINE_FAULTS,
  Database: DATABASE_FAULTS,
  'Node and index': NODE_FAULTS,
  Keys: KEY_FAULTS,
  Market: MARKET_FAULTS,
  Mirror: MIRROR_FAULTS,
} as const

/** All faults of an installation. Doctor, `/status`, metrics and alerts report these, and nothing else. */
export const FAULTS = {
  ...MACHINE_FAULTS,
  ...DATABASE_FAULTS,
  ...NODE_FAULTS,
  ...KEY_FAULTS,
  ...MARKET_FAULTS,
  ...MIRROR_FAULTS,
} as const

type Faults = typeof FAULTS
export type FaultId = keyof Faults
/** Faults that the doctor finds. */
export type DoctorFault = { [I in FaultId]: Faults[I]['doctor'] extends string ? I : never }[FaultId]
/** Faults that pause all trading, with their reason in `/status`. */
export type TradingFault = {
  [I in FaultId]: Faults[I]['status'] extends { reason: string } ? I : never
}[FaultId]

export const faultOf = (id: FaultId): FaultEntry => FAULTS[id]

/** Returns the section of docs/how-to/monitor.md about the fault's alert; null without an alert. */
export function runbookOf(id: FaultId): string | null {
  const { alert } = faultOf(id)
  return typeof alert === 'string' ? guide(`docs/how-to/monitor.md#${alert.toLowerCase()}`) : null
}

/** Returns the reason in `/status`, with values for its placeholders. */
export const reasonOf = (id: TradingFault, values: Readonly<Record<string, string | number>> = {}): string =>
  FAULTS[id].status.reason.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))
