import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { ServingContext } from '@ordbook/http/context.ts'
import type { ChainContext } from '@ordbook/indexer/context.ts'
import type { Guardian } from '@ordbook/signer/guardian/guardian.ts'
import type { MarketKeys, Signer } from '@ordbook/signer/requests.ts'

/** Context of the market's use cases. */
export interface Context extends ServingContext, ChainContext {
  funding: Funding
  market: MarketKeys
  signer: Signer
  /** Holds the second key of collection offers. */
  guardian: Guardian
}

interface Funding {
  /** Returns the binding's id if the wallet is unfunded. API sessions checked the funds at sign-in. */
  takerOf(
    session: { surface: 'api' | 'web' },
    binding: { walletBindingId: string; paymentScript: Uint8Array },
  ): Promise<string | null>
  isProfileFunded(sql: Sql, profileId: string): Promise<boolean>
}
