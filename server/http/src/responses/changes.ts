import { setImmediate } from 'node:timers/promises'
import { type Connection, connectAlone } from '@ordbook/db/driver/connect.ts'
import { inTime } from '@ordbook/db/process/in-time.ts'
import type { Logger } from 'pino'
import { listen, roundTrip, roundTripWithPosition } from './change-queries.ts'

/**
 * Changes announced by triggers (db/functions): tags on a PostgreSQL channel, sent in the transaction of the change. PostgreSQL delivers
 * pending notifications before it responds to a query. So an empty round trip on the listening connection is a fence: once it returns,
 * every announcement committed before it started has arrived. Only one fence runs at a time; requests that arrive in the meantime share the
 * next.
 */
const CHANNEL = 'ordbook'
/** The tag for any change: too many tags to list, or a period without a listening connection. */
export const EVERYTHING = '*'

/** If there is a replica, requests wait this many milliseconds for a fence, then go on without one until it returns. */
const LATE = 500
/** Milliseconds between a failed connection and the next attempt. */
const BACK_OFF = 200

export class Changes {
  private readonly databaseUrl: string
  private readonly log: Logger
  private readonly onTag: (tag: string) => void
  /** The listening connection, if any. */
  private connection: Connection | null = null
  private opening: Promise<void> | null = null
  private nextFence: Promise<boolean> | null = null
  private lastFence: Promise<unknown> = Promise.resolve()
  private failedAt = Number.NEGATIVE_INFINITY
  private closed = false
  /** Whether a fence also reads the WAL position. */
  private readonly hasReplica: boolean
  private lastPosition = 0
  private isLate = false

  /** `onTag` receives each tag. Connects when a fence is first needed. */
  constructor(
    databaseUrl: string,
    options: { log: Logger; onTag: (tag: string) => void; hasReplica?: boolean },
  ) {
    this.databaseUrl = databaseUrl
    this.log = options.log
    this.onTag = options.onTag
    this.hasReplica = options.hasReplica ?? false
  }

  /** Resolves to true once all announcements committed before the call have arrived; false without a listening connection. */
  fence(): Promise<boolean> {
    this.nextFence ??= this.lastFence.then(async () => {
      // Wait until the sockets have been read, so that requests arriving now share this fence.
      await setImmediate()
      this.nextFence = null
      const fence = this.roundTrip()
      this.lastFence = fence
      return fence
    })
    return this.nextFence
  }

  /** A WAL position after every change committed before the call; null without a listening connection. */
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
      if (!this.closed && performance.now() - this.failedAt > BACK_OFF)
        this.opening ??= this.listen().finally(() => {
          this.opening = null
        })
      return false
    }
    if (this.isLate) return false
    const answer = this.ask(connection)
    if (!this.hasReplica) return answer
    const found = await inTime(answer, LATE)
    if (found !== null) return found
    this.isLate = true
    void answer.finally(() => {
      this.isLate = false
    })
    return false
  }

  private async ask(connection: Connection): Promise<boolean> {
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
      const connection = await connectAlone(this.databaseUrl, 'changes', this.onTag)
      void connection.lost.then(() => {
        if (connection !== this.connection) return
        // Announcements may have been missed.
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
