import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Identity } from '@ordbook/db/schema/identity.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { type DoctorFault, FAULTS, type FaultId, runbookOf, type TradingFault } from '../faults/faults.ts'

/** `fault`: the market is broken or unsafe. `warning`: it works, but needs attention. */
export type State = 'ok' | 'warning' | 'fault'

/** Result of a check. Null in `ok` findings: `fault`, `mend` (the fix) and `runbook` (a section of the documentation). */
export interface Finding {
  about: string
  state: State
  fault: FaultId | null
  found: string
  mend: string | null
  runbook: string | null
}

export const ok = (about: string, found: string): Finding => ({
  about,
  state: 'ok',
  fault: null,
  found,
  mend: null,
  runbook: null,
})

const judging =
  <Id extends DoctorFault>(state: State) =>
  (id: Id, found: string, mend: string): Finding => ({
    about: FAULTS[id].doctor,
    state,
    fault: id,
    found,
    mend,
    runbook: runbookOf(id),
  })
export const fault = judging<DoctorFault>('fault')
/** A fault that pauses trading is never a warning. */
export const warning = judging<Exclude<DoctorFault, TradingFault>>('warning')

/** Checks must not modify the installation. */
export interface Installation {
  config: Config
  sql: Sql
  isDatabaseUp: boolean
  /** Null before the first start, or if the database fails. */
  identity: Identity | null
  /** Null if the index has no blocks, or if the database fails. */
  tip: { height: number; blockHash: string; minedAt: Date } | null
}

export interface Check {
  /** The fault if `examine` throws, and its fix. */
  failure: DoctorFault
  mend: string
  /** Skips the check if the database fails. */
  byDatabase?: true
  examine(installation: Installation): Promise<Finding[]>
}

/** Failure of a check that reads tables: an older schema lacks them. */
export const OLD_SCHEMA = {
  failure: 'schema-old',
  mend: 'Migrate the database to the schema of this release.',
  byDatabase: true,
} as const satisfies Partial<Check>
