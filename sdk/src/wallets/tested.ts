import type { Flow } from './flows.ts'

/** Result of e2e/wallets for the signing code of a wallet, which makes every trade at a market with a real node. */
export interface Tested {
  name: string
  /** Id of the adapter; null for libraries. */
  adapter: string | null
  code: string
  /** The flows that fail, with the error of the market or the SDK. */
  fails: Partial<Record<Flow, string>>
}
