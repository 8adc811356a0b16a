import { setImmediate } from 'node:timers/promises'
import { type Connection, connectAlone } from '@ordbook/db/driver/connect.ts'
import { inTime } from '@ordbook/db/process/in-time.ts'
import type { Logger } from 'pino'
import { listen, roundTrip, roundTripWithPosition } from './change-queries.ts'

/**
 * The changes that triggers announce (db/functions): tags on a PostgreSQL channel, in the transaction of the change. PostgreSQL
 * delivers announcements made before a query began before it answers the query. So an empty round trip on the listening
 * connection is a fence: once it returns, every announcement committed before it began has arrived. One fence is under way at a time,
 * and the requests that come meanwhile share the next.
 */
const CHANNEL = 'ordbook'
/** The tag for any change: too many tags to list, or a time without a listening connection. */
export const EVERYTHING = '*'

/** Milliseconds after which a fence is late, where a replica can answer instead: requests do without one until it comes. */
const LATE = 500
/** Milliseconds between a connection that failed and the next attempt. */
const BACK_OFF = 200

export class Changes {
  private readonly databaseUrl: string
  private readonly log: Logger
  private readonly onTag: (tag: string) => void
  /** The listening connection; null while there is none. */
  private connection: Connection | null = null
  private opening: Promise<void> | null = null
  private nextFence: Promise<boolean> | null = null
  private lastFence: Promise<unknown> = Promise.resolve()
  private failedAt = Number.NEGATIVE_INFINITY
  private closed = false
  /** Whether fences learn the position too. */
  private readonly hasReplica: boolean
  private lastPosition = 0
  private isLate = false

  /** `onTag` gets each tag. Connects when a fence is first needed. */
  constructor(
    databaseUrl: string,
    options: { log: Logger; onTag: (tag: string) => void; hasReplica?: boolean },
  ) {
    this.databaseUrl = databaseUrl
    this.log = options.log
    this.onTag = options.onTag
    this.hasReplica = options.hasReplica ?? false
  }

  /** True once all announcements committed before the call have arrived; false while no connection listens. */
  fence(): Promise<boolean> {
    this.nextFence ??= this.lastFence.then(async () => {
      // After the sockets have been read, so that the requests that are arriving now share it.
      await setImmediate()
      this.nextFence = null
      const fence = this.roundTrip()
      this.lastFence = fence
      return fence
    })
    return this.nextFence
  }

  /** A position of the log behind every change committed before the call; null while no connection listens. */
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
        // Anything may have been announced since.
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
