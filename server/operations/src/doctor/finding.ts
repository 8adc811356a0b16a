import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Identity } from '@ordbook/db/schema/identity.ts'
import type { Config } from '@ordbook/db/settings/config.ts'

/** `fault`: the market is broken or unsafe. `warning`: it works, but needs attention. */
export type State = 'ok' | 'warning' | 'fault'

/** Result of a check. `mend` describes the fix of a fault or warning. */
export interface Finding {
  about: string
  state: State
  found: string
  mend: string | null
}

export const ok = (about: string, found: string): Finding => ({ about, state: 'ok', found, mend: null })

const judging =
  (state: State) =>
  (about: string, found: string, mend: string): Finding => ({ about, state, found, mend })
export const warning = judging('warning')
export const fault = judging('fault')

/** Checks must not modify the installation. */
export interface Installation {
  config: Config
  sql: Sql
  /** Null before the first start, or if the database fails. */
  identity: Identity | null
  /** Null if the index has no blocks, or if the database fails. */
  indexHeight: number | null
}

export interface Check {
  about: string
  /** The fix if `examine` throws. */
  mend: string
  /** Skips the check if the database fails. */
  byDatabase?: true
  /** Errors are reported as a fault. */
  examine(installation: Installation): Promise<Finding[]>
}
