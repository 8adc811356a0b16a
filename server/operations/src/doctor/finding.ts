import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Identity } from '@ordbook/db/schema/identity.ts'
import type { Config } from '@ordbook/db/settings/config.ts'

/** `fault`: the market cannot work, or is not safe. `warning`: it works, but needs attention. */
export type State = 'ok' | 'warning' | 'fault'

/** The result of a check, with the way to fix a fault or warning. */
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

/** The installation to check. Checks change nothing. */
export interface Installation {
  config: Config
  sql: Sql
  /** The market of the database; null before the first start, or if the database fails. */
  identity: Identity | null
  /** Height of the index; null if it has no blocks, or if the database fails. */
  indexHeight: number | null
}

export interface Check {
  about: string
  /** How to fix a part that does not respond. */
  mend: string
  /** Whether the check needs the database. It is skipped if the database fails. */
  byDatabase?: true
  /** Runs the check. An error is reported as a fault. */
  examine(installation: Installation): Promise<Finding[]>
}
