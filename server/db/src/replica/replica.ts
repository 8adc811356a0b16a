import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Connection, connect, connectSingle, type Queryable, type Sql } from '../driver/connect.ts'
import { codeOf, DatabaseOutage } from '../driver/outage.ts'
import { type Command, tagOf } from '../driver/statement.ts'
import { inTime } from '../process/in-time.ts'
import { ConfigError } from '../settings/config.ts'
import { findPlace, findSystem, type System } from './replica-queries.ts'

/** How long a read waits for the replica before it uses the primary. */
const CATCH_UP_MS = 200
/** How quickly a replica that was behind must catch up before reads use it again. Shorter, so that reads do not alternate. */
const RECOVERED_MS = CATCH_UP_MS / 2
const RECOVERY_POLL_MS = 10
/** How long a read waits for the primary before the primary counts as unavailable. */
const PRIMARY_TIMEOUT_MS = 1000
const POLL_INTERVAL_MS = 500
const STATEMENT_TIMED_OUT = '57014'

/** Returns a WAL position that includes all changes committed before the call; null if the primary does not respond. */
export type FindPosition = () => Promise<number | null>

export interface ReplicaState {
  isUp: boolean
  /** 0 if caught up; null if unknown. */
  lagSeconds: number | null
  /** While true, reads try the replica first. */
  isPrimaryAway: boolean
  answered: { replica: number; primary: number }
}

/** A streaming replica, monitored on a separate connection. The URL must lead to one server, because replay positions differ. */
export class Replica {
  readonly state: ReplicaState = {
    isUp: false,
    lagSeconds: null,
    isPrimaryAway: false,
    answered: { replica: 0, primary: 0 },
  }
  readonly pool: Sql
  private readonly url: string
  private readonly own: System
  private readonly findPosition: FindPosition
  private readonly log: Logger
  private readonly closing = new AbortController()
  private connection: Connection | null = null
  private replayed = 0
  /** The replica did not catch up with a read in time. Reads skip it until it catches up within RECOVERED_MS. */
  private isBehind = false
  private polling: Promise<number | null> | null = null
  private watching: Promise<void> = Promise.resolve()

  constructor(url: string, options: { max: number; own: System; findPosition: FindPosition; log: Logger }) {
    this.url = url
    this.own = options.own
    this.findPosition = options.findPosition
    this.log = options.log
    this.pool = connect(url, {
      as: 'reads',
      max: options.max,
      plansOnce: true,
      name: 'ordbook replica reads',
    })
  }

  /** Starts monitoring. Retries if the replica is down. Throws ConfigError if it belongs to another database. */
  async start(): Promise<void> {
    const first = await this.open().catch((error: unknown) => {
      if (error instanceof ConfigError) throw error
      this.log.warn({ err: error }, 'read replica (DATABASE_READ_URL) unavailable, reading from the primary')
      return null
    })
    this.watching = this.watch(first)
  }

  /** Returns whether the replica reaches a position within CATCH_UP_MS. */
  async hasReached(position: number): Promise<boolean> {
    const until = performance.now() + CATCH_UP_MS
    while (this.connection && this.replayed < position && !this.isBehind) {
      await this.poll().catch(() => {})
      if (this.replayed >= position) break
      if (performance.now() > until) this.isBehind = true
      else await sleep(2)
    }
    return this.connection !== null && this.replayed >= position
  }

  async run(command: Command): Promise<unknown[]> {
    const rows = await this.pool.run(command)
    this.state.answered.replica++
    return rows
  }

  async close(): Promise<void> {
    this.closing.abort()
    this.connection?.destroy()
    await this.watching
    await this.pool.end({ timeout: 5 })
  }

  private async open(): Promise<Connection> {
    const connection = await connectSingle(this.url, 'replica')
    try {
      const { systemId, database } = await findSystem(connection.sql)
      if (systemId !== this.own.systemId || database !== this.own.database)
        throw new ConfigError(
          `DATABASE_READ_URL: found the database ${database} of the cluster ${systemId}, expected a replica of ${this.own.database} of the cluster ${this.own.systemId}`,
        )
      return connection
    } catch (error) {
      connection.destroy()
      throw error
    }
  }

  private async watch(first: Connection | null): Promise<void> {
    const { signal } = this.closing
    let next = first
    while (!signal.aborted) {
      try {
        this.connection = next ?? (await this.open())
        this.replayed = 0
        while (!signal.aborted) {
          await this.measure()
          await sleep(POLL_INTERVAL_MS, null, { signal }).catch(() => {})
        }
      } catch (error) {
        if (this.state.isUp && !signal.aborted)
          this.log.warn({ err: error }, 'read replica unavailable, reading from the primary')
        this.state.isUp = false
      }
      this.connection?.destroy()
      this.connection = null
      next = null
      await sleep(POLL_INTERVAL_MS, null, { signal }).catch(() => {})
    }
  }

  private async measure(): Promise<void> {
    const position = await this.findPosition()
    if (position !== null) this.state.isPrimaryAway = false
    const until = performance.now() + RECOVERED_MS
    let ageSeconds = await this.poll()
    // A replica of a busy primary is always some milliseconds behind.
    while (this.isBehind && position !== null && this.replayed < position && performance.now() < until) {
      await sleep(RECOVERY_POLL_MS)
      ageSeconds = await this.poll()
    }
    const isCurrent = position !== null && this.replayed >= position
    if (isCurrent) this.isBehind = false
    this.state.lagSeconds = isCurrent ? 0 : ageSeconds
    if (!this.state.isUp) this.log.info('read replica available')
    this.state.isUp = true
  }

  /** Updates the replay position. Returns the age of the data in seconds. Concurrent calls share one query. */
  private poll(): Promise<number | null> {
    const { connection } = this
    if (!connection) return Promise.reject(new Error('the replica is not connected'))
    this.polling ??= findPlace(connection.sql)
      .then(({ position, ageSeconds, isReplica }) => {
        if (connection === this.connection) this.replayed = position
        return isReplica ? ageSeconds : 0
      })
      .finally(() => {
        this.polling = null
      })
    return this.polling
  }
}

/**
 * Returns queries that read from a replica, but never older data than the primary's. Each statement waits until the replica has replayed
 * the primary's position. If the replica is slow or fails, the primary is used. While the primary is down, the replica is used regardless
 * of its age.
 */
export function readsOf(replica: Replica, primary: Sql, findPosition: FindPosition): Queryable {
  const { state } = replica
  const fromPrimary = async (command: Command) => {
    const rows = await primary.run(command)
    state.isPrimaryAway = false
    state.answered.primary++
    return rows
  }
  const fromReplica = (command: Command) => replica.run(command).catch(orElse(() => fromPrimary(command)))
  let isProbing = false
  const probe = () => {
    if (isProbing) return
    isProbing = true
    const end = (isAway: boolean) => {
      state.isPrimaryAway = isAway
      isProbing = false
    }
    primary`select 1`.then(
      () => end(false),
      () => end(true),
    )
  }
  const withoutPosition = async (command: Command) => {
    if (!state.isPrimaryAway) {
      const result = fromPrimary(command).then(
        (rows) => ({ rows }),
        orElse(() => Promise.resolve(null)),
      )
      const found = await inTime(result, PRIMARY_TIMEOUT_MS)
      if (found) return found.rows
      state.isPrimaryAway = true
    }
    probe()
    return fromReplica(command)
  }
  return tagOf(async (command) => {
    const position = await findPosition()
    if (position === null) return withoutPosition(command)
    state.isPrimaryAway = false
    if (await replica.hasReached(position)) return fromReplica(command)
    return fromPrimary(command).catch(
      orElse(async (error) => {
        // The primary is up but overloaded. Do not return older data.
        if ((await findPosition()) !== null) throw error
        return fromReplica(command)
      }),
    )
  })
}

/** Uses `other` after an outage, except a statement timeout. */
const orElse =
  <T>(other: (error: unknown) => Promise<T>) =>
  (error: unknown): Promise<T> => {
    if (!(error instanceof DatabaseOutage) || codeOf(error) === STATEMENT_TIMED_OUT) throw error
    return other(error)
  }
