import type { Readable, Writable } from 'node:stream'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { clientFor, onSomeHost } from './hosts.ts'
import { asOutage, isRefusal } from './outage.ts'
import { runCommand } from './run-command.ts'
import { type Command, type Queryable, type Run, tagOf } from './statement.ts'

export interface Limits {
  /** Milliseconds to wait for a connection, and for one to open. */
  connectMs: number
  /** Statement timeout in milliseconds, enforced by PostgreSQL; the client gives up a second later. 0 for no limit. */
  statementMs: number
  /** Milliseconds after which PostgreSQL ends a session that is idle in a transaction. 0 for never. */
  idleMs: number
}

export interface ConnectionOptions extends Limits {
  /** Name of the session in PostgreSQL's system views. */
  applicationName: string
  settings?: Record<string, string>
  /** Behind a transaction pooler: sessions are shared, so settings and prepared statements cannot be used. */
  isPooled?: boolean
}

/** Milliseconds that the client waits longer than PostgreSQL's own timeout. */
const GRACE_MS = 1000
export const deadlineOf = ({ statementMs }: Limits) => (statementMs > 0 ? statementMs + GRACE_MS : 0)

/** Detects vanished clients within half a minute, to release their locks (seconds, seconds, count, milliseconds). */
const VANISHED = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '20000',
}

/** The options in node-postgres's format. */
export function configOf(databaseUrl: string, options: ConnectionOptions): pg.ClientConfig {
  const settings = Object.entries({ ...VANISHED, ...options.settings })
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

/** Closes a connection immediately, even during a statement: a graceful end would wait for the server. */
export function destroy(client: pg.ClientBase): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}

/** SQL for the simple query protocol. */
export const commandOf = (text: string): Command => ({
  text,
  values: [],
  oids: [],
  isSimple: true,
  isRepeated: false,
})

/**
 * A connection outside of the pools, for session features such as LISTEN, or work that must not wait for a free connection. Statements run
 * one at a time. A lost connection does not reconnect; its owner opens another.
 */
export class Connection {
  readonly sql: Queryable
  /** Resolves when the connection is lost or closed. */
  readonly lost: Promise<Error>
  private readonly client: pg.Client
  private last: Promise<unknown> = Promise.resolve()

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
      const answer = this.last.then(() => run(command))
      this.last = answer.catch(() => {})
      return answer
    })
  }

  /** Connects. `onNotify` receives the payload of each notification. Throws DatabaseOutage. */
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
        // An exception here would crash the process. The subscriber missed a notification, so close the connection to make it start over.
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

  /** Stream of rows of `copy … to stdout`, in COPY's text format. Nothing else may run until it is read. */
  copyOut(text: string): Readable & { rowCount: number | null } {
    return this.client.query(copyTo(text)) as never
  }

  /** Stream for the rows of `copy … from stdin`. Nothing else may run until it has finished. */
  copyIn(text: string): Writable & { rowCount: number | null } {
    return this.client.query(copyFrom(text)) as never
  }

  destroy(): void {
    destroy(this.client)
  }
}
