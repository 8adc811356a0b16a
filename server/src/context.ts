import type { Guardian } from '@ordbook/signer/guardian/guardian.ts'
import type { MarketKeys, Signer } from '@ordbook/signer/requests.ts'
import type { Logger } from 'pino'
import type { NodePolicy } from './chain/node-policy.ts'
import type { Ord } from './chain/ord.ts'
import type { ChainSource } from './chain/source.ts'
import type { Config } from './config.ts'
import type { Queryable, Sql } from './db/connect.ts'
import type { ReplicaState } from './db/replica.ts'

/** Everything a use case may reach, handed in; only main.ts and tests build one. */
export interface Context {
  sql: Sql
  /** For the public reads, which plan each statement once: the primary, or a replica that shows as much. */
  reads: Queryable
  /** The replica that serves the public reads, where one is configured. */
  replica: { readonly state: ReplicaState } | null
  /** The market's Bitcoin node, or another source of the chain. */
  node: ChainSource
  /** The trades that the node relays. */
  policy: NodePolicy
  /** The ord server, where one is configured. */
  ord: Ord | null
  /** Looks up whether wallets hold the funds that the API asks for. */
  funding: Funding
  /** The public part of the market's keys. */
  market: MarketKeys
  /** The holder of the market's keys. */
  signer: Signer
  /** The second key of collection offers. */
  guardian: Guardian
  /** Responses of the public reads, kept in memory. */
  responses: ResponseCache
  config: Config
  /** Base address of the server as clients see it, without a trailing slash. */
  publicUrl: string
  /** The time of the market (clock.ts). */
  clock: () => Date
  /** Whether orders that have expired by that time may end for good. */
  time: { isSettled(): boolean }
  log: Logger
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

/** A response of a public read that may be kept. */
export interface CachedResponse {
  body: Buffer
  /** Names of the data that it shows: a change of any of it drops the response. */
  tags: readonly string[]
  /** The time at which it expires; null: never. */
  validUntil: Date | null
}

export interface ResponseCache {
  /** The response of a key: from memory while it is true, else as `build` makes it. */
  read(key: readonly unknown[], now: () => Date, build: () => Promise<CachedResponse>): Promise<Buffer>
}

/** Base address of the inscriptions' content, without a trailing slash. */
export const contentUrlOf = ({ config, publicUrl }: Pick<Context, 'config' | 'publicUrl'>): string =>
  config.contentUrl?.replace(/\/+$/, '') ?? publicUrl

/** A context for the work of one client: calls of the node end when the client disconnects. */
export function forClient<C extends Context>(context: C, signal: AbortSignal): C {
  return { ...context, node: context.node.within({ signal }) }
}
