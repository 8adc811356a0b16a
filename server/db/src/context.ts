import type { Logger } from 'pino'
import type { Queryable, Sql } from './driver/connect.ts'
import type { ReplicaState } from './replica/replica.ts'
import type { Config } from './settings/config.ts'

export interface BaseContext {
  sql: Sql
  /** Queries for public reads, on the primary or a replica that has caught up. */
  reads: Queryable
  replica: { readonly state: ReplicaState } | null
  config: Config
  /** Public base URL without a trailing slash. */
  publicUrl: string
  /** Current market time (see `MarketClock`). */
  clock: () => Date
  /** Tells whether expiries are final and can be stored. */
  time: { isSettled(): boolean }
  log: Logger
}

export const contentUrlOf = ({ config, publicUrl }: Pick<BaseContext, 'config' | 'publicUrl'>): string =>
  config.contentUrl?.replace(/\/+$/, '') ?? publicUrl
