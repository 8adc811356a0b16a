import type { Guardian } from '@ordbook/signer/guardian/guardian.ts'
import type { MarketKeys, Signer } from '@ordbook/signer/requests.ts'
import type { ChainContext } from './chain/context.ts'
import type { Sql } from './db/connect.ts'
import type { ServingContext } from './http/context.ts'

/** What a use case of the market reaches. Only main.ts and tests build one. */
export interface Context extends ServingContext, ChainContext {
  /** Looks up whether wallets hold the funds that the API asks for. */
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
  /** The binding's id where its wallet counts as one without funds, else null. A bearer token is proof of funds. */
  takerOf(
    session: { surface: 'api' | 'web' },
    binding: { walletBindingId: string; paymentScript: Uint8Array },
  ): Promise<string | null>
  /** Whether any wallet of a profile holds the funds. */
  isProfileFunded(sql: Sql, profileId: string): Promise<boolean>
}
