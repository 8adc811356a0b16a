import type { Logger } from 'pino'
import type { Queryable, Sql } from './driver/connect.ts'
import type { ReplicaState } from './replica/replica.ts'
import type { Config } from './settings/config.ts'

/** Context of every part of the server: database, settings, clock and log. */
export interface BaseContext {
  sql: Sql
  /** Connection for public reads, with prepared statements: the primary, or a replica that is close enough behind. */
  reads: Queryable
  /** The replica that serves the public reads, if one is configured. */
  replica: { readonly state: ReplicaState } | null
  config: Config
  /** Base address of the server as clients see it, without a trailing slash. */
  publicUrl: string
  /** The market's time (clock.ts). */
  clock: () => Date
  /** Whether orders that have expired by that time may end for good. */
  time: { isSettled(): boolean }
  log: Logger
}

/** Base address of inscription content, without a trailing slash. */
export const contentUrlOf = ({ config, publicUrl }: Pick<BaseContext, 'config' | 'publicUrl'>): string =>
  config.contentUrl?.replace(/\/+$/, '') ?? publicUrl
