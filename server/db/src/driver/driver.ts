import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type ConnectionOptions, commandOf, configOf, deadlineOf, destroy } from './connection.ts'
import { Gate } from './gate.ts'
import { clientFor, onSomeHost } from './hosts.ts'
import { asOutage, DatabaseOutage, IdleTransaction, isRefusal, isWorthRepeating } from './outage.ts'
import { LATE_MS, runCommand } from './run-command.ts'
import { type Command, type Queryable, type Run, tagOf } from './statement.ts'
import { inScope } from './transaction-scope.ts'

export interface PoolOptions extends ConnectionOptions {
  max: number
}

/** A transaction, valid until its `work` ends. Runs one statement at a time. */
export interface Transaction extends Queryable {
  run: Run
}

/** A pool of connections with timeouts. If the database fails, destroys the connection and throws DatabaseOutage. */
export interface Sql extends Queryable {
  run: Run
  /** Limits the transactions that wait for keys, so that a slow key does not hold all connections. */
  signing: Gate
  /** Runs `work` in a transaction. `opening` is SQL that runs first. */
  begin<T>(work: (tx: Transaction) => Promise<T>, opening?: string): Promise<T>
  /** Returns the same pool with one timeout for connecting and running the statement. */
  within(milliseconds: number): Queryable
  /** Closes the pool after running work ends, or after `timeout` seconds. */
  end(options?: { timeout?: number }): Promise<void>
}

/** A connection is destroyed if its rollback takes longer. */
const ROLLBACK_MS = 1000
/** Maximum callers waiting for a connection. More fail immediately. */
const MAX_WAITING = 1000
/** Connections that transactions waiting for keys leave to others, and maximum callers waiting for such a transaction. */
const NOT_SIGNING = 2
const MAX_WAITING_TO_SIGN = 100
const IDLE_MS = 60_000
/** Backoff in milliseconds after a failed connection attempt, doubled from `first` to `most`. */
const BACK_OFF_MS = { first: 25, most: 400 }
const MAX_TRIES = 5

/** The error that ended a session. Later statements get only a generic error. */
const endings = new WeakMap<pg.ClientBase, Error>()

function poolTo(databaseUrl: string, options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...configOf(databaseUrl, options),
    Client: clientFor(databaseUrl),
    max: options.max,
    idleTimeoutMillis: IDLE_MS,
  })
  // Prevents a crash on a lost connection. Its statements are rejected anyway.
  pool.on('error', () => {})
  pool.on('connect', (client) =>
    client.on('error', (error) => {
      // The socket error that follows is less specific.
      if (!endings.has(client)) endings.set(client, error)
    }),
  )
  return pool
}

/** Gets a connection from the pool. Retries once if the process was suspended, because its timers fire before it reads the socket. */
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
    signing: new Gate({ running: Math.max(options.max - NOT_SIGNING, 1), waiting: MAX_WAITING_TO_SIGN }),
    begin: async <T>(work: (tx: Transaction) => Promise<T>, opening = '') => {
      const client = await acquire()
      const session = new Session(
        client,
        (command) => runCommand(client, withoutPlan(command), deadline),
        options.idleMs,
      )
      try {
        return await inScope(() => session.transact(work, opening))
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
        // A pending connection attempt can prevent the pool from ending.
        await Promise.race([ended, sleep(1000, undefined, { ref: false })])
      } else await ended
    },
  }) as unknown as Sql
}

function release(client: pg.PoolClient, isLost: boolean): void {
  if (isLost) destroy(client)
  client.release(isLost)
}

/** Runs one command, then returns the connection to the pool or destroys it. */
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

/** Runs `work`, with retries after a deadlock or a stale plan. Throws DatabaseOutage after MAX_TRIES attempts. */
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
  /** The connection failed or timed out. Do not reuse it, even for a rollback. */
  isLost = false
  private readonly client: pg.PoolClient
  private readonly run: Run
  private queue: Promise<unknown> = Promise.resolve()
  /** First statement error. PostgreSQL rejects all later statements. */
  private failure: unknown
  private isOver = false
  private readonly idleMs: number
  /** When the last statement ended. */
  private idleSince = performance.now()

  /** `idleMs`: after this time without a statement, PostgreSQL ends the session; 0 for never. */
  constructor(client: pg.PoolClient, run: Run, idleMs: number) {
    this.client = client
    this.run = run
    this.idleMs = idleMs
  }

  async transact<T>(work: (tx: Transaction) => Promise<T>, opening: string): Promise<T> {
    const run: Run = (command) => this.enqueue(command)
    try {
      await run(commandOf(`begin; ${opening}`))
      const result = await work(Object.assign(tagOf(run), { run }) as Transaction)
      await this.queue
      // After a failed statement, PostgreSQL silently turns a commit into a rollback.
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
      const idledMs = performance.now() - this.idleSince
      try {
        return await this.run(command)
      } catch (error) {
        if (!isRefusal(error)) this.isLost = true
        const outage = asOutage(isRefusal(error) ? error : this.endingOf(error, idledMs))
        this.failure ??= outage
        throw outage
      } finally {
        this.idleSince = performance.now()
      }
    })
    this.queue = result.catch(() => {})
    return result
  }

  /** Returns why the session ended: PostgreSQL's message if it arrived, otherwise the error of the socket or our own idleness. */
  private endingOf(error: unknown, idledMs: number): unknown {
    const ending = endings.get(this.client) ?? error
    const isOwn = this.idleMs > 0 && idledMs >= this.idleMs && !(ending instanceof pg.DatabaseError)
    return isOwn ? new IdleTransaction(idledMs, ending) : ending
  }
}
