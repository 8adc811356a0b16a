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

export class Changes {
  private readonly connection: postgres.Sql
  private readonly log: Logger
  private readonly hear: (tag: string) => void
  /** The backend that listens for us. */
  private backend: number | null = null
  private listening: Promise<void> | null = null
  private nextFence: Promise<boolean> | null = null

  /** `hear` is told each tag. Connects when first asked for a fence. */
  constructor(databaseUrl: string, options: { log: Logger; hear: (tag: string) => void }) {
    this.log = options.log
    this.hear = options.hear
    this.connection = postgres(databaseUrl, {
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
        this.backend = null
        this.hear(EVERYTHING)
      },
    } as postgres.Options<Record<string, never>>)
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
    await this.connection.end({ timeout: 5 })
  }

  private async roundTrip(): Promise<boolean> {
    if (this.backend === null) {
      this.listening ??= this.listen().finally(() => {
        this.listening = null
      })
      return false
    }
    try {
      if ((await this.askBackend()) === this.backend) return true
    } catch {
      // As below: whoever answers next, it is not the one that listened.
    }
    this.backend = null
    return false
  }

  /** By the simple protocol: that is answered only when the connection is ready again, after what was announced. */
  private async askBackend(): Promise<number> {
    const [row] = await this.connection.unsafe('select pg_backend_pid() as backend').simple()
    return row!.backend
  }

  private async listen(): Promise<void> {
    try {
      await this.connection.unsafe(`listen ${CHANNEL}`).simple()
      const [row] = await this.connection
        .unsafe('select pg_backend_pid() as backend, pg_listening_channels() as channel')
        .simple()
      if (row?.channel !== CHANNEL) return
      this.hear(EVERYTHING)
      this.backend = row.backend
    } catch (error) {
      this.log.warn({ err: error }, 'nothing listens for changes: every page is built anew')
    }
  }
}
