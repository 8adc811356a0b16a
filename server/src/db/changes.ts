import type { Logger } from 'pino'
import postgres from 'postgres'

/**
 * What changed, as the triggers announce it (migrations/0010-reads.sql): tags on a PostgreSQL channel, in the transaction of
 * the change. PostgreSQL hands what was announced before a query began to the asking connection before it says that
 * the query is done. So an empty round trip on the connection that listens is a fence: once it is back, everything
 * that was committed before it began has been heard. Requests that come together share one.
 */
const CHANNEL = 'ordbook'
/** Everything may have changed: more tags than are worth listing, or nobody listened for a while. */
export const EVERYTHING = '*'

/** How long the database may take to answer an empty question, in milliseconds. */
const PATIENCE = 1000

export class Changes {
  private readonly databaseUrl: string
  private readonly log: Logger
  private readonly hear: (tag: string) => void
  /** The one connection, and the backend behind it while that listens for us. */
  private connection: postgres.Sql
  private backend: number | null = null
  private listening: Promise<void> | null = null
  private nextFence: Promise<boolean> | null = null
  private closed = false

  /** `hear` is told each tag. Connects when first asked for a fence. */
  constructor(databaseUrl: string, options: { log: Logger; hear: (tag: string) => void }) {
    this.databaseUrl = databaseUrl
    this.log = options.log
    this.hear = options.hear
    this.connection = this.open()
  }

  /** True once everything that was committed before the call has been heard; false while nobody listens. */
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

  async close(): Promise<void> {
    this.closed = true
    await this.connection.end({ timeout: 1 })
  }

  private async roundTrip(): Promise<boolean> {
    if (this.backend === null) {
      this.listening ??= this.listen().finally(() => {
        this.listening = null
      })
      return false
    }
    const { connection } = this
    try {
      const [row] = await this.ask<{ backend: number }>('select pg_backend_pid() as backend')
      if (row!.backend === this.backend) return true
    } catch {
      // As below: whoever answers next, it is not the one that listened.
    }
    this.renew(connection)
    return false
  }

  private async listen(): Promise<void> {
    const { connection } = this
    try {
      await this.ask(`listen ${CHANNEL}`)
      const [row] = await this.ask<{ backend: number; channel: string }>(
        'select pg_backend_pid() as backend, pg_listening_channels() as channel',
      )
      if (row?.channel !== CHANNEL) return this.renew(connection)
      this.hear(EVERYTHING)
      this.backend = row.backend
    } catch (error) {
      if (this.closed) return
      this.log.warn({ err: error }, 'nothing listens for changes: every page is built anew')
      this.renew(connection)
    }
  }

  /** By the simple protocol: that is answered only when the connection is ready again, after what was announced. */
  private async ask<T>(text: string): Promise<T[]> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the database takes too long')), PATIENCE)
    })
    try {
      const answer = this.connection.unsafe(text).simple()
      return (await Promise.race([answer, late])) as unknown as T[]
    } finally {
      clearTimeout(timer)
    }
  }

  private open(): postgres.Sql {
    const connection: postgres.Sql = postgres(this.databaseUrl, {
      max: 1,
      idle_timeout: 0,
      // Never: a connection that is renewed has to listen anew.
      max_lifetime: null,
      connect_timeout: 10,
      fetch_types: false,
      connection: { application_name: 'ordbook changes' },
      onnotice: () => {},
      onnotify: (_channel: string, tag: string) => this.hear(tag),
      onclose: () => {
        if (connection === this.connection) this.forget()
      },
    } as postgres.Options<Record<string, never>>)
    return connection
  }

  /** Nothing is known any more until somebody listens again. */
  private forget(): void {
    this.backend = null
    this.hear(EVERYTHING)
  }

  /** Another connection in place of one that cannot be relied on; once, however many questions it failed. */
  private renew(failed: postgres.Sql): void {
    if (failed !== this.connection) return
    this.forget()
    if (this.closed) return
    void this.connection.end({ timeout: 0 }).catch(() => {})
    this.connection = this.open()
  }
}
