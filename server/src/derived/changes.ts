import type { Logger } from 'pino'
import { type Connection, connectAlone } from '../db/connect.ts'
import { listen, roundTrip } from './change-queries.ts'

/**
 * The changes that triggers announce (db/functions): tags on a PostgreSQL channel, in the transaction of
 * the change. PostgreSQL delivers what was announced before a query began to the asking connection before it says that
 * the query is done. So an empty round trip on the connection that listens is a fence: once it is back, everything
 * that was committed before it began has arrived. Requests that come together share one.
 */
const CHANNEL = 'ordbook'
/** Everything may have changed: more tags than are worth listing, or a while without a listening connection. */
export const EVERYTHING = '*'

/** Milliseconds between a connection that failed and the next attempt. */
const BACK_OFF = 200

export class Changes {
  private readonly databaseUrl: string
  private readonly log: Logger
  private readonly onTag: (tag: string) => void
  /** The connection that listens; null while none does. */
  private connection: Connection | null = null
  private opening: Promise<void> | null = null
  private nextFence: Promise<boolean> | null = null
  private failedAt = Number.NEGATIVE_INFINITY
  private closed = false

  /** `onTag` gets each tag. Connects when a fence is first needed. */
  constructor(databaseUrl: string, options: { log: Logger; onTag: (tag: string) => void }) {
    this.databaseUrl = databaseUrl
    this.log = options.log
    this.onTag = options.onTag
  }

  /** True once everything that was committed before the call has arrived; false while no connection listens. */
  fence(): Promise<boolean> {
    this.nextFence ??= new Promise((resolve) => {
      // Later than what is being read now from the sockets, so that those requests share it.
      setImmediate(() => {
        this.nextFence = null
        resolve(this.roundTrip())
      })
    })
    return this.nextFence
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
    try {
      await roundTrip(connection.sql)
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
        this.log.warn({ err: error }, 'cannot listen for changes: every page is built for each request')
    }
  }
}
