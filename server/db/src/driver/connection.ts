import type { Readable, Writable } from 'node:stream'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { clientFor, onSomeHost } from './hosts.ts'
import { asOutage, isRefusal } from './outage.ts'
import { runCommand } from './run-command.ts'
import { type Command, type Queryable, type Run, tagOf } from './statement.ts'

/** Limits of a connection. */
export interface Limits {
  /** Milliseconds that a caller waits for a connection, and that one may take to open. */
  connectMs: number
  /** Milliseconds that PostgreSQL gives a statement; the caller gives up a second later. 0: no limit. */
  statementMs: number
  /** Milliseconds after which PostgreSQL ends a session that leaves a transaction open and asks nothing. 0: never. */
  idleMs: number
}

export interface ConnectionOptions extends Limits {
  /** The name of the session in PostgreSQL's own views. */
  applicationName: string
  /** Settings of the session. */
  settings?: Record<string, string>
  /** Through a pooler by transaction: no session is its own, so it is given no settings and keeps no plans. */
  isPooled?: boolean
}

/** Milliseconds that a caller waits longer than PostgreSQL itself. */
const GRACE_MS = 1000
export const deadlineOf = ({ statementMs }: Limits) => (statementMs > 0 ? statementMs + GRACE_MS : 0)

/** A client that vanished silently is given up within half a minute, and its locks with it (in s, s, times, ms). */
const VANISHED = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '20000',
}

/** The options in the driver's own words. */
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

/** Ends a connection at once, with any statement under way: a graceful end would wait for the server. */
export function destroy(client: pg.ClientBase): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}

/** SQL text by the simple protocol. */
export const commandOf = (text: string): Command => ({
  text,
  values: [],
  oids: [],
  isSimple: true,
  isRepeated: false,
})

/**
 * A connection beside the pools: for what belongs to a session, such as LISTEN, or must not wait for a free connection. Its statements
 * run one after the other. Once lost it stays lost; its owner opens another.
 */
export class Connection {
  readonly sql: Queryable
  /** Settles when the connection is lost or closed. */
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

  /** Connects. `onNotify` gets the payload of each notification. Throws DatabaseOutage. */
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
        // Thrown from here it would end the process. The subscriber missed something, so it has to begin again.
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

  /** The rows of `copy … to stdout` in COPY's text form. Nothing else may run until they are read. */
  copyOut(text: string): Readable & { rowCount: number | null } {
    return this.client.query(copyTo(text)) as never
  }

  /** Takes the rows for `copy … from stdin`. Nothing else may run until it has finished. */
  copyIn(text: string): Writable & { rowCount: number | null } {
    return this.client.query(copyFrom(text)) as never
  }

  destroy(): void {
    destroy(this.client)
  }
}
