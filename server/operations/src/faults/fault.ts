import type { RelayedTrade } from '@ordbook/indexer/node/node-policy.ts'
import type { Shortage } from '@ordbook/market/market-coins/shortages.ts'

/** Why a fault is not reported in a place. */
export interface None {
  none: string
}
export const no = (none: string): None => ({ none })

/** How `/status` reports a fault. A `reason` pauses all trading; its placeholders are in braces. */
type InStatus =
  | { reason: string }
  | { notTraded: readonly RelayedTrade[] }
  | { shortage: Shortage['resource'] }

/** A fault of an installation, and where an operator sees it. */
export interface FaultEntry {
  /** One sentence: what is wrong. */
  is: string
  /** The component in the doctor's finding. */
  doctor: string | None
  metric: string | None
  /** An alert of deploy/prometheus/alerts.yaml. docs/how-to/monitor.md has a section with the remedy. */
  alert: string | None
  status: InStatus | None
}

/** Common reasons. */
export const OPEN = no('trading continues')
const SETUP = no('constant while it runs')
export const OF_SETUP = { metric: SETUP, alert: SETUP, status: OPEN } as const
const BY_DOCTOR = no('checked by the doctor only')
export const OF_CHECK = { metric: BY_DOCTOR, alert: BY_DOCTOR, status: OPEN } as const
export const NOT_SERVED = no('a mirror does not trade')
/** Reasons that the page states once, above its tables. */
export const IMPLIED: readonly None[] = [OPEN, SETUP, BY_DOCTOR, NOT_SERVED]
