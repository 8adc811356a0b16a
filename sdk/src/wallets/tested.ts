import type { Flow } from './flows.ts'

/** Result of e2e/wallets for the signing code of a wallet. */
export interface Tested {
  name: string
  /** Id of the adapter; null for libraries. */
  adapter: string | null
  code: string
  /** The failed flows, with their errors. */
  fails: Partial<Record<Flow, string>>
}
