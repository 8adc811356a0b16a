import type { Readable, Writable } from 'node:stream'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { clientFor, onSomeHost } from './hosts.ts'
import { asOutage, isRefusal } from './outage.ts'
import { runCommand } from './run-command.ts'
import { type Command, type Queryable, type Run, tagOf } from './statement.ts'

export interface Limits {
  /** Timeout for getting or opening a connection, in milliseconds. */
  connectMs: number
  /** Statement timeout in milliseconds; 0 for none. The client waits one second longer than PostgreSQL. */
  statementMs: number
  /** Idle-in-transaction timeout in milliseconds; 0 for none. */
  idleMs: number
}

export interface ConnectionOptions extends Limits {
  applicationName: string
  settings?: Record<string, string>
  /** The URL leads to a transaction pooler, so session settings and prepared statements are not used. */
  isPooled?: boolean
}

const GRACE_MS = 1000
export const deadlineOf = ({ statementMs }: Limits) => (statementMs > 0 ? statementMs + GRACE_MS : 0)

/** Detects lost clients within 30 seconds, to release their locks. */
const KEEPALIVE = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '20000',
}

export function configOf(databaseUrl: string, options: ConnectionOptions): pg.ClientConfig {
  const settings = Object.entries({ ...KEEPALIVE, ...options.settings })
  const shared = {
    connectionString: databaseUrl,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
  }
  if (options.isPooled) return shared
  return {
    ...shared,
    statement_timeout: options.statementMs,
    idle_in_transaction_session_timeout: options.idleMs,
    options: settings.map(([name, value]) => `-c ${name}=${value}`).join(' '),
  }
}

/** Closes a connection immediately, even during a statement. */
export function destroy(client: pg.ClientBase): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}

export const commandOf = (text: string): Command => ({
  text,
  values: [],
  oids: [],
  isSimple: true,
  isRepeated: false,
})

/** A connection outside the pools, for LISTEN and other session features. Runs one statement at a time. Does not reconnect. */
export class Connection {
  readonly sql: Queryable
  readonly lost: Promise<Error>
  private readonly client: pg.Client
  private queue: Promise<unknown> = Promise.resolve()

  private constructor(client: pg.Client, lost: Promise<Error>, options: ConnectionOptions) {
    this.client = client
    this.lost = lost
    const run: Run = async (command) => {
      try {
        return await runCommand(client, command, deadlineOf(options))
      } catch (error) {
        if (!isRefusal(error)) this.destroy()
        throw asOutage(error)
      }
    }
    this.sql = tagOf((command) => {
      const result = this.queue.then(() => run(command))
      this.queue = result.catch(() => {})
      return result
    })
  }

  /** Opens a connection. `onNotify` receives notification payloads. Throws DatabaseOutage. */
  static open(
    databaseUrl: string,
    options: ConnectionOptions,
    onNotify?: (payload: string) => void,
  ): Promise<Connection> {
    return onSomeHost(databaseUrl, () => Connection.openOne(databaseUrl, options, onNotify))
  }

  private static async openOne(
    databaseUrl: string,
    options: ConnectionOptions,
    onNotify?: (payload: string) => void,
  ): Promise<Connection> {
    const client = new (clientFor(databaseUrl))(configOf(databaseUrl, options))
    const lost = new Promise<Error>((resolve) => {
      client.on('error', resolve)
      client.on('end', () => resolve(new Error('the connection ended')))
    })
    const connection = new Connection(client, lost, options)
    client.on('notification', ({ payload }) => {
      try {
        onNotify?.(payload ?? '')
      } catch (error) {
        // An exception would crash the process. Close the connection instead: the handler missed a notification.
        client.emit('error', error as Error)
        connection.destroy()
      }
    })
    try {
      await client.connect()
    } catch (error) {
      connection.destroy()
      throw asOutage(error)
    }
    return connection
  }

  /** Streams the rows of `copy … to stdout` in COPY's text format. Blocks other statements until it ends. */
  copyOut(text: string): Readable & { rowCount: number | null } {
    return this.client.query(copyTo(text)) as never
  }

  /** Returns a stream for `copy … from stdin`. Blocks other statements until it finishes. */
  copyIn(text: string): Writable & { rowCount: number | null } {
    return this.client.query(copyFrom(text)) as never
  }

  destroy(): void {
    destroy(this.client)
  }
}
