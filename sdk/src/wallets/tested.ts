import type { Flow } from './flows.ts'

/** A wallet's signing code, as e2e/wallets had it make every trade at a market on a real node. */
export interface Tested {
  name: string
  /** Id of the adapter that storefronts speak to it by; null for libraries. */
  adapter: string | null
  /** The code that signed, with its version. */
  code: string
  /** The flows that do not work, each with the reason that the market or the SDK gave. */
  fails: Partial<Record<Flow, string>>
}
