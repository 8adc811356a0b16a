import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type ConnectionOptions, commandOf, configOf, deadlineOf, destroy } from './connection.ts'
import { clientFor, onSomeHost } from './hosts.ts'
import { asOutage, DatabaseOutage, isRefusal, isWorthRepeating } from './outage.ts'
import { runCommand } from './run-command.ts'
import { type Command, type Queryable, type Run, tagOf } from './statement.ts'

export interface PoolOptions extends ConnectionOptions {
  max: number
}

/** A transaction, valid until the `work` that received it ends. Runs one statement at a time. */
export interface Transaction extends Queryable {
  /** Runs a compiled command. */
  run: Run
}

/**
 * A pool of connections. Every wait has a timeout. Failures of the database, as opposed to rejected
 * statements, are thrown as DatabaseOutage; the connection is then destroyed.
 */
export interface Sql extends Queryable {
  /** Runs a compiled command. */
  run: Run
  /** Runs `work` in a transaction. `opening` is SQL that runs first and must succeed. */
  begin<T>(work: (tx: Transaction) => Promise<T>, opening?: string): Promise<T>
  /** Returns the same pool with a timeout for getting a connection and running the statement. */
  within(milliseconds: number): Queryable
  /** Closes the pool when running work has ended, or after `timeout` seconds. */
  end(options?: { timeout?: number }): Promise<void>
}

/** The connection counts as lost if a rollback takes longer. */
const ROLLBACK_MS = 1000
/** Maximum number of callers that wait for a connection. Further callers fail immediately. */
const MAX_WAITING = 1000
const IDLE_MS = 60_000
/** Backoff in milliseconds after a failed connection attempt, doubled from `first` to `most`. */
const BACK_OFF_MS = { first: 25, most: 400 }
const MAX_TRIES = 5
/** Maximum timer drift while the process is running. */
const LATE_MS = 250

/** Error with which PostgreSQL ended a session. The next statement gets only a generic error. */
const endings = new WeakMap<pg.ClientBase, Error>()

function poolTo(databaseUrl: string, options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...configOf(databaseUrl, options),
    Client: clientFor(databaseUrl),
    max: options.max,
    idleTimeoutMillis: IDLE_MS,
  })
  // Without an error handler, a lost connection would crash the process. Its statements are rejected anyway.
  pool.on('error', () => {})
  pool.on('connect', (client) =>
    client.on('error', (error) => {
      // The socket error that follows is less specific.
      if (!endings.has(client)) endings.set(client, error)
    }),
  )
  return pool
}

/**
 * Gets a connection from the pool. If the process was suspended, its timer fires before it reads the
 * response in the socket. That timeout does not indicate an outage, so retry once.
 */
async function connectIn(pool: pg.Pool, connectMs: number): Promise<pg.PoolClient> {
  const startedAt = performance.now()
  try {
    return await pool.connect()
  } catch (error) {
    if (performance.now() - startedAt < connectMs + LATE_MS) throw error
    return pool.connect()
  }
}

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
      throw asOutage(new Error(`${MAX_WAITING} callers are already waiting for a connection`))
    const opensConnection = pool.idleCount === 0 && pool.totalCount < options.max
    try {
      const client = await onSomeHost(databaseUrl, () => connectIn(pool, options.connectMs))
      failures = 0
      return client
    } catch (error) {
      if (opensConnection) {
        closedUntil = performance.now() + Math.min(BACK_OFF_MS.first * 2 ** failures++, BACK_OFF_MS.most)
        lastFailure = error
      }
      throw asOutage(error)
    }
  }
  const withoutPlan = (command: Command): Command =>
    options.isPooled ? { ...command, isRepeated: false } : command
  const runWithin = async (command: Command, milliseconds: number): Promise<unknown[]> => {
    const started = performance.now()
    const acquiring = acquire()
    const timer = new AbortController()
    const client = await Promise.race([
      acquiring.finally(() => timer.abort()),
      sleep(milliseconds, null, { signal: timer.signal }).catch(() => null),
    ])
    if (client)
      return once(client, withoutPlan(command), Math.max(1, milliseconds - (performance.now() - started)))
    acquiring.then(
      (unused) => release(unused, false),
      () => {},
    )
    throw asOutage(new Error(`no connection within ${milliseconds} ms`))
  }

  let ended: Promise<void> | undefined
  const run: Run = (command) => repeatedly(async () => once(await acquire(), withoutPlan(command), deadline))
  return Object.assign(tagOf(run), {
    run,
    begin: async <T>(work: (tx: Transaction) => Promise<T>, opening = '') => {
      const client = await acquire()
      const session = new Session(client, (command) => runCommand(client, withoutPlan(command), deadline))
      try {
        return await session.transact(work, opening)
      } finally {
        release(client, session.isLost)
      }
    },
    within: (milliseconds: number) => tagOf((command) => runWithin(command, milliseconds)),
    end: async ({ timeout }: { timeout?: number } = {}) => {
      ended ??= pool.end()
      if (timeout !== undefined) {
        await Promise.race([ended, sleep(timeout * 1000, undefined, { ref: false })])
        for (const client of busy) destroy(client)
        // A connection attempt in progress can prevent the pool from ending.
        await Promise.race([ended, sleep(1000, undefined, { ref: false })])
      } else await ended
    },
  }) as unknown as Sql
}

function release(client: pg.PoolClient, isLost: boolean): void {
  if (isLost) destroy(client)
  client.release(isLost)
}

/** Runs one command. Returns the connection to the pool, or destroys it after a failure. */
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

/**
 * Runs `work`, and retries it after a deadlock or if its plan predates a migration. Throws DatabaseOutage
 * after MAX_TRIES attempts.
 */
export async function repeatedly<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      if (!isWorthRepeating(error)) throw error
      if (attempt >= MAX_TRIES) throw new DatabaseOutage(error)
    }
}

class Session {
  /** The connection failed or timed out. It must not be used again, not even for a rollback. */
  isLost = false
  private readonly client: pg.PoolClient
  private readonly run: Run
  private queue: Promise<unknown> = Promise.resolve()
  /** First error of a statement. PostgreSQL then rejects all later statements of the transaction. */
  private failure: unknown
  private isOver = false

  constructor(client: pg.PoolClient, run: Run) {
    this.client = client
    this.run = run
  }

  async transact<T>(work: (tx: Transaction) => Promise<T>, opening: string): Promise<T> {
    const run: Run = (command) => this.enqueue(command)
    try {
      await run(commandOf(`begin; ${opening}`))
      const result = await work(Object.assign(tagOf(run), { run }) as Transaction)
      await this.queue
      // PostgreSQL turns the commit of a failed transaction into a rollback without an error.
      if (this.failure !== undefined) throw this.failure
      const committed = run(commandOf('commit'))
      this.isOver = true
      await committed
      return result
    } catch (error) {
      this.isOver = true
      await this.queue
      if (!this.isLost)
        await runCommand(this.client, commandOf('rollback'), ROLLBACK_MS).catch(() => {
          this.isLost = true
        })
      throw error
    }
  }

  private enqueue(command: Command): Promise<unknown[]> {
    if (this.isOver) return Promise.reject(new Error('the transaction has ended'))
    const result = this.queue.then(async () => {
      if (this.isLost) throw this.failure
      try {
        return await this.run(command)
      } catch (error) {
        if (!isRefusal(error)) this.isLost = true
        const outage = asOutage(isRefusal(error) ? error : (endings.get(this.client) ?? error))
        this.failure ??= outage
        throw outage
      }
    })
    this.queue = result.catch(() => {})
    return result
  }
}
