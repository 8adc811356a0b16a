import type { Guardian } from '@ordbook/signer/guardian/guardian.ts'
import type { MarketKeys, Signer } from '@ordbook/signer/requests.ts'
import type { Logger } from 'pino'
import type { Funding } from './auth/funding.ts'
import type { NodePolicy } from './chain/node-policy.ts'
import type { Ord } from './chain/ord.ts'
import type { ChainSource } from './chain/source.ts'
import type { MarketClock } from './clock.ts'
import type { Config } from './config.ts'
import type { Sql } from './db/connect.ts'
import type { Pages } from './derived/page-cache.ts'
import type { Parties } from './settlements/broadcast.ts'

/** Everything a use case may reach, handed in; only main.ts and tests build one. */
export interface Context {
  sql: Sql
  /** A pool for the public reads, which plan each statement once. */
  reads: Sql
  /** The market's Bitcoin node, or another source of the chain. */
  node: ChainSource
  /** The trades that the node relays. */
  policy: NodePolicy
  /** The ord server, where one is configured. */
  ord: Ord | null
  /** Looks up whether wallets hold the funds that the API asks for. */
  funding: Funding
  /** What is public of the market's keys. */
  market: MarketKeys
  /** Who holds them. */
  signer: Signer
  /** The second key of collection offers. */
  guardian: Guardian
  /** What becomes of settlements, by their features. */
  parties: Parties
  /** Finished pages of the public reads. */
  pages: Pages
  config: Config
  /** Base address of the server as clients see it, without a trailing slash. */
  publicUrl: string
  /** The time of the market (clock.ts). */
  clock: () => Date
  /** Whether what has expired by that time may end for good. */
  time: Pick<MarketClock, 'isSettled'>
  log: Logger
}

/** The same, for work that is for one client alone: calls of the node end when it disconnects. */
export function forClient(context: Context, signal: AbortSignal): Context {
  return { ...context, node: context.node.within({ signal }) }
}
