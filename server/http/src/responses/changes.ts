import { setImmediate } from 'node:timers/promises'
import { type Connection, connectSingle } from '@ordbook/db/driver/connect.ts'
import { inTime } from '@ordbook/db/process/in-time.ts'
import type { Logger } from 'pino'
import { listen, roundTrip, roundTripWithPosition } from './change-queries.ts'

/** Channel on which triggers (db/src/schema/functions) announce changed tags. */
const CHANNEL = 'ordbook'
/** Invalidates all tags, for example after a lost connection. */
export const EVERYTHING = '*'

/**
 * Timeout of a fence if there is a replica, in milliseconds. After a timeout, requests bypass the cache until the
 * fence completes.
 */
const FENCE_TIMEOUT_MS = 500
/** Delay after a failed connection attempt, in milliseconds. */
const RECONNECT_DELAY_MS = 200

/**
 * Receives announced changes. PostgreSQL delivers pending notifications before the response to a query. So
 * when an empty query (the fence) returns, all earlier announcements have arrived. Only one fence runs at a
 * time; requests that arrive in the meantime share the next one.
 */
export class Changes {
  private readonly databaseUrl: string
  private readonly log: Logger
  private readonly onTag: (tag: string) => void
  private connection: Connection | null = null
  private opening: Promise<void> | null = null
  private nextFence: Promise<boolean> | null = null
  private lastFence: Promise<unknown> = Promise.resolve()
  private failedAt = Number.NEGATIVE_INFINITY
  private closed = false
  /** With a replica, a fence also reads the WAL position. */
  private readonly hasReplica: boolean
  private lastPosition = 0
  private isLate = false

  /** Connects at the first fence. */
  constructor(
    databaseUrl: string,
    options: { log: Logger; onTag: (tag: string) => void; hasReplica?: boolean },
  ) {
    this.databaseUrl = databaseUrl
    this.log = options.log
    this.onTag = options.onTag
    this.hasReplica = options.hasReplica ?? false
  }

  /**
   * Resolves to true once all announcements committed before the call have arrived; to false without a
   * connection.
   */
  fence(): Promise<boolean> {
    this.nextFence ??= this.lastFence.then(async () => {
      // Let requests that have just arrived share this fence.
      await setImmediate()
      this.nextFence = null
      const fence = this.roundTrip()
      this.lastFence = fence
      return fence
    })
    return this.nextFence
  }

  /**
   * Returns a WAL position that includes every change committed before the call; null without a connection.
   */
  async position(): Promise<number | null> {
    return (await this.fence()) ? this.lastPosition : null
  }

  close(): void {
    this.closed = true
    this.connection?.destroy()
  }

  private async roundTrip(): Promise<boolean> {
    const { connection } = this
    if (!connection) {
      if (!this.closed && performance.now() - this.failedAt > RECONNECT_DELAY_MS)
        this.opening ??= this.listen().finally(() => {
          this.opening = null
        })
      return false
    }
    if (this.isLate) return false
    const result = this.runFence(connection)
    if (!this.hasReplica) return result
    const arrived = await inTime(result, FENCE_TIMEOUT_MS)
    if (arrived !== null) return arrived
    this.isLate = true
    void result.finally(() => {
      this.isLate = false
    })
    return false
  }

  private async runFence(connection: Connection): Promise<boolean> {
    try {
      if (this.hasReplica) this.lastPosition = await roundTripWithPosition(connection.sql)
      else await roundTrip(connection.sql)
      return connection === this.connection
    } catch {
      return false
    }
  }

  private async listen(): Promise<void> {
    try {
      const connection = await connectSingle(this.databaseUrl, 'changes', this.onTag)
      void connection.lost.then(() => {
        if (connection !== this.connection) return
        this.connection = null
        this.onTag(EVERYTHING)
      })
      if (this.closed) return connection.destroy()
      await listen(connection.sql, CHANNEL)
      this.onTag(EVERYTHING)
      this.connection = connection
    } catch (error) {
      this.failedAt = performance.now()
      if (!this.closed)
        this.log.warn({ err: error }, 'LISTEN failed, response cache disabled until it reconnects')
    }
  }
}
