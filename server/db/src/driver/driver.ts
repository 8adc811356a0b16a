import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type ConnectionOptions, commandOf, configOf, deadlineOf, destroy } from './connection.ts'
import { clientFor, onSomeHost } from './hosts.ts'
import { asOutage, DatabaseOutage, isRefusal, isWorthRepeating } from './outage.ts'
import { runCommand } from './run-command.ts'
import { type Command, type Queryable, type Run, tagOf } from './statement.ts'

/**
 * PostgreSQL through node-postgres, with tagged templates. Every wait has a timeout: for a connection, for each statement, and for a client
 * that leaves a transaction open. After any failure except a rejected statement, the connection is destroyed.
 */
export interface PoolOptions extends ConnectionOptions {
  /** Maximum number of connections. */
  max: number
}

/** A transaction. It is valid while the work that received it runs. Its statements run one at a time. */
export interface Transaction extends Queryable {
  /** Runs a compiled command. */
  run: Run
}

/** A pool of connections. Failures of the database, as opposed to rejected statements, are thrown as DatabaseOutage. */
export interface Sql extends Queryable {
  /** Runs a compiled command. */
  run: Run
  /** Runs `work` in a transaction. `opening` is SQL that must succeed first. */
  begin<T>(work: (tx: Transaction) => Promise<T>, opening?: string): Promise<T>
  /** The same pool with a timeout that covers both getting a connection and running the statement. */
  within(milliseconds: number): Queryable
  /** Closes the pool after running work has ended, or after `timeout` seconds. */
  end(options?: { timeout?: number }): Promise<void>
}

/** A rollback that takes longer means that the connection is lost. */
const ROLLBACK_MS = 1000
/** Maximum number of callers waiting for a connection; further ones fail immediately. */
const MAX_WAITING = 1000
/** Idle connections are closed after this time. */
const IDLE_MS = 60_000
/** Backoff in milliseconds after a connection could not be opened, doubled from `first` to `most`. */
const BACK_OFF_MS = { first: 25, most: 400 }
const MAX_TRIES = 5
/** Maximum timer drift while the process is running. */
const LATE_MS = 250

/** The error with which PostgreSQL ended a session. The next statement would only get a generic one. */
const endings = new WeakMap<pg.ClientBase, Error>()

/** Creates a pool whose connection errors do not crash the process. */
function poolTo(databaseUrl: string, options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...configOf(databaseUrl, options),
    Client: clientFor(databaseUrl),
    max: options.max,
    idleTimeoutMillis: IDLE_MS,
  })
  // Without these handlers, a lost connection would crash the process. Its statements are rejected in any case.
  pool.on('error', () => {})
  pool.on('connect', (client) =>
    client.on('error', (error) => {
      // The socket error that follows has less information.
      if (!endings.has(client)) endings.set(client, error)
    }),
  )
  return pool
}

/**
 * Gets a connection from the pool. If the process was suspended, its timer fires before the response in the socket is read. Such a timeout
 * is not evidence of an outage, so retry once.
 */
async function connectIn(pool: pg.Pool, connectMs: number): Promise<pg.PoolClient> {
  const begun = performance.now()
  try {
    return await pool.connect()
  } catch (error) {
    if (performance.now() - begun < connectMs + LATE_MS) throw error
    return pool.connect()
  }
}

/** Opens a pool; the first statement connects. */
export function open(databaseUrl: string, options: PoolOptions): Sql {
  const pool = poolTo(databaseUrl, options)
  const busy = new Set<pg.PoolClient>()
  pool.on('acquire', (client) => busy.add(client))
  pool.on('release', (_error, client) => busy.delete(client))
  const deadline = deadlineOf(options)
  let failures = 0
  let closedUntil = 0
  let lastFailure: unknown

  const acquire = async (): Promise<pg.PoolClient> => {
    if (pool.totalCount === 0 && performance.now() < closedUntil) throw asOutage(lastFailure)
    if (pool.waitingCount >= MAX_WAITING)
      throw asOutage(new Error(`${MAX_WAITING} callers wait for a connection already`))
    const opens = pool.idleCount === 0 && pool.totalCount < options.max
    try {
      const client = await onSomeHost(databaseUrl, () => connectIn(pool, options.connectMs))
      failures = 0
      return client
    } catch (error) {
      if (opens) {
        closedUntil = performance.now() + Math.min(BACK_OFF_MS.first * 2 ** failures++, BACK_OFF_MS.most)
        lastFailure = error
      }
      throw asOutage(error)
    }
  }
  const planned = (command: Command): Command =>
    options.isPooled ? { ...command, isRepeated: false } : command
  const soon = async (command: Command, milliseconds: number): Promise<unknown[]> => {
    const started = performance.now()
    const coming = acquire()
    const late = new AbortController()
    const client = await Promise.race([
      coming.finally(() => late.abort()),
      sleep(milliseconds, null, { signal: late.signal }).catch(() => null),
    ])
    if (client)
      return once(client, planned(command), Math.max(1, milliseconds - (performance.now() - started)))
    coming.then(
      (unused) => release(unused, false),
      () => {},
    )
    throw asOutage(new Error(`no connection within ${milliseconds} ms`))
  }

  let ended: Promise<void> | undefined
  const run: Run = (command) => repeatedly(async () => once(await acquire(), planned(command), deadline))
  return Object.assign(tagOf(run), {
    run,
    begin: async <T>(work: (tx: Transaction) => Promise<T>, opening = '') => {
      const client = await acquire()
      const session = new Session(client, (command) => runCommand(client, planned(command), deadline))
      try {
        return await session.transact(work, opening)
      } finally {
        release(client, session.isLost)
      }
    },
    within: (milliseconds: number) => tagOf((command) => soon(command, milliseconds)),
    end: async ({ timeout }: { timeout?: number } = {}) => {
      ended ??= pool.end()
      if (timeout !== undefined) {
        await Promise.race([ended, sleep(timeout * 1000, undefined, { ref: false })])
        for (const client of busy) destroy(client)
        // A connection attempt in progress may prevent the pool from ending.
        await Promise.race([ended, sleep(1000, undefined, { ref: false })])
      } else await ended
    },
  }) as unknown as Sql
}

function release(client: pg.PoolClient, isLost: boolean): void {
  if (isLost) destroy(client)
  client.release(isLost)
}

/** Runs one command and returns the connection to the pool, or destroys it if it failed. */
async function once(client: pg.PoolClient, command: Command, milliseconds: number): Promise<unknown[]> {
  let isLost = true
  try {
    const rows = await runCommand(client, command, milliseconds)
    isLost = false
    return rows
  } catch (error) {
    isLost = !isRefusal(error)
    throw asOutage(error)
  } finally {
    release(client, isLost)
  }
}

/** Retries work that PostgreSQL aborted because of a deadlock, or that used a plan from before a migration. */
export async function repeatedly<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      if (!isWorthRepeating(error)) throw error
      if (attempt >= MAX_TRIES) throw new DatabaseOutage(error)
    }
}

/** A connection during one transaction. */
class Session {
  /** The connection failed or timed out: do not use it again, not even for a rollback. */
  isLost = false
  private readonly client: pg.PoolClient
  private readonly run: Run
  private last: Promise<unknown> = Promise.resolve()
  /** First error of a statement. PostgreSQL rejects all later statements of the transaction. */
  private failure: unknown
  private isOver = false

  constructor(client: pg.PoolClient, run: Run) {
    this.client = client
    this.run = run
  }

  async transact<T>(work: (tx: Transaction) => Promise<T>, opening: string): Promise<T> {
    const run: Run = (command) => this.inTurn(command)
    try {
      await run(commandOf(`begin; ${opening}`))
      const result = await work(Object.assign(tagOf(run), { run }) as Transaction)
      await this.last
      // PostgreSQL answers a commit of a failed transaction with a rollback, without an error.
      if (this.failure !== undefined) throw this.failure
      const committed = run(commandOf('commit'))
      this.isOver = true
      await committed
      return result
    } catch (error) {
      this.isOver = true
      await this.last
      if (!this.isLost)
        await runCommand(this.client, commandOf('rollback'), ROLLBACK_MS).catch(() => {
          this.isLost = true
        })
      throw error
    }
  }

  private inTurn(command: Command): Promise<unknown[]> {
    if (this.isOver) return Promise.reject(new Error('the transaction is over'))
    const answer = this.last.then(async () => {
      if (this.isLost) throw this.failure
      try {
        return await this.run(command)
      } catch (error) {
        if (!isRefusal(error)) this.isLost = true
        // PostgreSQL ended a transaction that was idle for too long.
        const outage = asOutage(isRefusal(error) ? error : (endings.get(this.client) ?? error))
        this.failure ??= outage
        throw outage
      }
    })
    this.last = answer.catch(() => {})
    return answer
  }
}
