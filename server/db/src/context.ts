import type { Logger } from 'pino'
import type { Queryable, Sql } from './driver/connect.ts'
import type { ReplicaState } from './replica/replica.ts'
import type { Config } from './settings/config.ts'

/** Context of every part of the server: database, settings, clock and log. */
export interface BaseContext {
  sql: Sql
  /** Connection for public reads, with generic plans: the primary, or a replica that has caught up. */
  reads: Queryable
  /** The replica that serves the public reads, if one is configured. */
  replica: { readonly state: ReplicaState } | null
  config: Config
  /** Base URL of the server as clients see it, without a trailing slash. */
  publicUrl: string
  /** The market's time (clock.ts). */
  clock: () => Date
  /** Whether orders that have expired by that time may end permanently. */
  time: { isSettled(): boolean }
  log: Logger
}

/** Base URL of inscription content, without a trailing slash. */
export const contentUrlOf = ({ config, publicUrl }: Pick<BaseContext, 'config' | 'publicUrl'>): string =>
  config.contentUrl?.replace(/\/+$/, '') ?? publicUrl
