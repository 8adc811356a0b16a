import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, connectSingle, type Queryable, type Sql, type Transaction } from '../driver/connect.ts'
import { repeatedly } from '../driver/driver.ts'
import { codeOf } from '../driver/outage.ts'
import { type Command, tagOf } from '../driver/statement.ts'
import { Fault } from '../process/errors.ts'

/** Roles limited to one process at a time. */
export type LeaseRole = 'follower' | 'jobs'

/** Longer than the idle timeout of transactions (LIMITS in connect.ts), so that no transaction outlives the lease. */
const LEASE_SECONDS = 7
const HEARTBEAT_MS = 1000
/** SQLSTATE raised by hold_lease. */
const NOT_HELD = 'OB001'
const LOCK_NOT_AVAILABLE = '55P03'
const READ_ONLY = '25006'

/** Thrown if another process holds the lease. The transaction was rolled back. */
export class LeaseLost extends Fault {
  constructor(message: string, cause?: unknown) {
    super('server-not-ready', message, { cause })
    this.name = 'LeaseLost'
  }
}

export class Lease {
  readonly role: LeaseRole
  private readonly databaseUrl: string
  private readonly holder = randomUUID()
  private token: number | null = null
  private holding = new AbortController()
  isElsewhere = false

  constructor(databaseUrl: string, role: LeaseRole) {
    this.databaseUrl = databaseUrl
    this.role = role
  }

  get isHeld(): boolean {
    return this.token !== null
  }

  /** Name of the lease's database sessions. The next holder can terminate them by name. */
  get sessionName(): string {
    return sessionNameOf(this.role, this.holder)
  }

  /** Returns SQL that fences a transaction. Throws LeaseLost. */
  fence(): string {
    if (this.token === null) throw new LeaseLost(`this process does not hold the ${this.role} lease`)
    return `select hold_lease('${this.role}', ${this.token})`
  }

  /** Aborts the work after the lease or the database is lost. */
  lose(): void {
    this.token = null
    this.holding.abort()
  }

  /**
   * Waits for the lease, runs `work` and releases the lease. Polls every `milliseconds`. The signal aborts with `stopping` or when the
   * lease is lost. Throws LeaseLost and DatabaseOutage.
   */
  async hold(
    stopping: AbortSignal,
    milliseconds: number,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const connection = await connectSingle(this.databaseUrl, `${this.role} lease`)
    const { sql } = connection
    this.holding = new AbortController()
    const holdSignal = this.holding.signal
    try {
      while (!stopping.aborted && this.token === null) {
        this.token = await this.acquire(sql)
        this.isElsewhere = this.token === null
        if (this.token === null) await pause(milliseconds, stopping)
      }
      if (this.token === null) return
      const token = this.token
      const renewing = this.renew(sql, token, holdSignal)
        .catch(() => {})
        .finally(() => this.lose())
      try {
        await work(AbortSignal.any([stopping, holdSignal]))
        if (!stopping.aborted) throw new LeaseLost(`this process lost the ${this.role} lease`)
      } finally {
        this.lose()
        await renewing
        await sql`update leases set expires_at = '-infinity' where role = ${this.role} and token = ${token}`.catch(
          () => {},
        )
      }
    } finally {
      connection.destroy()
    }
  }

  /**
   * Tries to acquire the lease. Returns the token, or null if another process holds it. The lease is free if it expired, its session is
   * gone, or this process held it. An expiry beyond LEASE_SECONDS counts as expired, because the clock was set back.
   */
  private async acquire(sql: Queryable): Promise<number | null> {
    try {
      const [row] = await sql<{ token: number }[]>`
        update leases set holder = ${this.holder}, backend = pg_backend_pid(), token = token + 1,
          expires_at = clock_timestamp() + ${`${LEASE_SECONDS} s`}::interval
        where role = ${this.role} and (holder = ${this.holder} or expires_at < clock_timestamp()
          or expires_at > clock_timestamp() + ${`${LEASE_SECONDS} s`}::interval
          or not exists (select from pg_stat_activity a where a.pid = leases.backend))
        returning token`
      return row?.token ?? null
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error
      await this.endSessionsOfHolder(sql)
      return null
    }
  }

  /** Terminates the sessions of a hung holder that still locks the row. */
  private async endSessionsOfHolder(sql: Queryable): Promise<void> {
    const [row] = await sql<{ holder: string }[]>`
      select holder from leases where role = ${this.role} and expires_at < clock_timestamp() and holder is not null`
    if (row)
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = current_user
          and application_name = ${sessionNameOf(this.role, row.holder)}`
  }

  /** Renews the lease until the signal aborts. Returns early if the lease is lost. Throws if the database fails. */
  private async renew(sql: Queryable, token: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(HEARTBEAT_MS, signal)
      if (signal.aborted) return
      // An unchanged token means that no other process acquired the lease, even if it expired.
      const rows = await sql`
        update leases set expires_at = clock_timestamp() + ${`${LEASE_SECONDS} s`}::interval
        where role = ${this.role} and token = ${token} returning 1`
      if (rows.length === 0) return
    }
  }
}

/**
 * Opens a pool whose transactions start with the lease's fence. Its sessions are read-only by default, so that a single SELECT needs no
 * fence. A SELECT that writes is retried with the fence. VACUUM cannot run in a transaction.
 */
export function fenced(
  databaseUrl: string,
  lease: Lease,
  options: { as: 'follower' | 'jobs' | 'tools'; max: number },
): Sql {
  const sql = connect(databaseUrl, { ...options, name: lease.sessionName, isReadOnly: true })
  const begin = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    try {
      return await sql.begin(work, `set transaction read write; ${lease.fence()}`)
    } catch (error) {
      if (codeOf(error) !== NOT_HELD) throw error
      lease.lose()
      throw new LeaseLost((error as Error).message, error)
    }
  }
  const single = async (command: Command): Promise<unknown[]> => {
    if (/^\s*vacuum\b/i.test(command.text)) return sql.run(command)
    if (/^\s*select\b/i.test(command.text))
      try {
        return await sql.run(command)
      } catch (error) {
        if (codeOf(error) !== READ_ONLY) throw error
      }
    return repeatedly(() => begin((tx) => tx.run(command)))
  }
  return Object.assign(tagOf(single), { begin, signing: sql.signing, end: sql.end }) as unknown as Sql
}

const pause = (milliseconds: number, signal: AbortSignal) =>
  sleep(milliseconds, undefined, { signal }).catch(() => {})

const sessionNameOf = (role: LeaseRole, holder: string) => `ordbook ${role} ${holder.slice(0, 8)}`
