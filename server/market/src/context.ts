import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { ServingContext } from '@ordbook/http/context.ts'
import type { ChainContext } from '@ordbook/indexer/context.ts'
import type { Guardian } from '@ordbook/signer/guardian/guardian.ts'
import type { MarketKeys, Signer } from '@ordbook/signer/requests.ts'

/** Context of the market's use cases. Only main.ts and tests build one. */
export interface Context extends ServingContext, ChainContext {
  /** Looks up whether wallets have the funds that the API requires. */
  funding: Funding
  /** The public part of the market's keys. */
  market: MarketKeys
  /** The holder of the market's keys. */
  signer: Signer
  /** The second key of collection offers. */
  guardian: Guardian
}

/** Reads the funds of wallets that the API demands at sign-in (auth/funding.ts). */
interface Funding {
  /** The binding's id if its wallet counts as unfunded, otherwise null. A bearer token proves funds. */
  takerOf(
    session: { surface: 'api' | 'web' },
    binding: { walletBindingId: string; paymentScript: Uint8Array },
  ): Promise<string | null>
  /** Whether any wallet of a profile holds the funds. */
  isProfileFunded(sql: Sql, profileId: string): Promise<boolean>
}
