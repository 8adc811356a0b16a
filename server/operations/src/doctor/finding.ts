import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Identity } from '@ordbook/db/schema/identity.ts'
import type { Config } from '@ordbook/db/settings/config.ts'

/** `fault`: the market cannot work, or is not safe. `warning`: it works, and its operator should know. */
export type State = 'ok' | 'warning' | 'fault'

/** A statement about one part of an installation, and the way to mend it where it needs that. */
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

/** An installation, as the checks see it. They change nothing. */
export interface Installation {
  config: Config
  sql: Sql
  /** The market that the database belongs to; null before the first start, and where the database does not answer. */
  identity: Identity | null
  /** Height of the index; null where it holds no block, and where the database does not answer. */
  indexHeight: number | null
}

/** One part of an installation. */
export interface Check {
  about: string
  /** The way to mend a part that does not answer. */
  mend: string
  /** Asks the database: not examined where it does not answer. */
  byDatabase?: true
  /** An error that escapes is a fault of this part. */
  examine(installation: Installation): Promise<Finding[]>
}
