import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Connection, connect, connectAlone, type Queryable, type Sql } from '../driver/connect.ts'
import { codeOf, DatabaseOutage } from '../driver/outage.ts'
import { type Command, tagOf } from '../driver/statement.ts'
import { inTime } from '../process/in-time.ts'
import { ConfigError } from '../settings/config.ts'
import { findPlace, findSystem, type System } from './replica-queries.ts'

/** Milliseconds that a read waits for the replica to catch up before it falls back to the primary. */
const CATCH_UP_MS = 200
/** Milliseconds that a read waits for a primary whose position is unknown before it counts as away. */
const PRIMARY_MS = 1000
/** Polling interval of the replica, in milliseconds. */
const LOOK_MS = 500
const STATEMENT_TIMED_OUT = '57014'

/** Returns a WAL position of the primary after every change committed before the call; null if the primary does not respond. */
export type FindPosition = () => Promise<number | null>

/** Status of the replica, for the operator. */
export interface ReplicaState {
  isUp: boolean
  /** 0 if fully caught up; null if unknown. */
  lagSeconds: number | null
  /** While true, reads try the replica first. */
  isPrimaryAway: boolean
  /** Statements since the start, by the server that ran them. */
  answered: { replica: number; primary: number }
}

/**
 * A streaming replica, monitored on a separate connection. The URL must lead to a single server, because its replay position holds for no
 * other.
 */
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
  /** It did not catch up in time: reads do not wait for it until it has. */
  private isBehind = false
  private looking: Promise<number | null> | null = null
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

  /** Starts monitoring. Throws ConfigError for a copy of another database. A replica that is down is retried. */
  async start(): Promise<void> {
    const first = await this.open().catch((error: unknown) => {
      if (error instanceof ConfigError) throw error
      this.log.warn({ err: error }, 'read replica (DATABASE_READ_URL) unavailable, reading from the primary')
      return null
    })
    this.watching = this.watch(first)
  }

  /** Whether the replica has replayed up to a position; waits up to CATCH_UP_MS. */
  async hasReached(position: number): Promise<boolean> {
    const until = performance.now() + CATCH_UP_MS
    while (this.connection && this.replayed < position && !this.isBehind) {
      await this.look().catch(() => {})
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
    const connection = await connectAlone(this.url, 'replica')
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
          await sleep(LOOK_MS, null, { signal }).catch(() => {})
        }
      } catch (error) {
        if (this.state.isUp && !signal.aborted)
          this.log.warn({ err: error }, 'read replica unavailable, reading from the primary')
        this.state.isUp = false
      }
      this.connection?.destroy()
      this.connection = null
      next = null
      await sleep(LOOK_MS, null, { signal }).catch(() => {})
    }
  }

  /** Polls once; throws if the replica does not respond. */
  private async measure(): Promise<void> {
    const position = await this.findPosition()
    if (position !== null) this.state.isPrimaryAway = false
    const ageSeconds = await this.look()
    const isCurrent = position !== null && this.replayed >= position
    if (isCurrent) this.isBehind = false
    this.state.lagSeconds = isCurrent ? 0 : ageSeconds
    if (!this.state.isUp) this.log.info('the replica answers')
    this.state.isUp = true
  }

  /** Updates the replay position; concurrent calls share one query. Returns the age of the replica's data in seconds. */
  private look(): Promise<number | null> {
    const { connection } = this
    if (!connection) return Promise.reject(new Error('the replica is not connected'))
    this.looking ??= findPlace(connection.sql)
      .then(({ position, ageSeconds, isReplica }) => {
        if (connection === this.connection) this.replayed = position
        return isReplica ? ageSeconds : 0
      })
      .finally(() => {
        this.looking = null
      })
    return this.looking
  }
}

/**
 * Reads on a replica, but never older data than the primary's. Each statement first gets the primary's position (concurrent statements
 * share one query) and runs on the replica once it has replayed that far. If the replica is too slow or fails, the primary is used. While
 * the primary is away, the replica serves what it has.
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
      const answer = fromPrimary(command).then(
        (rows) => ({ rows }),
        orElse(() => Promise.resolve(null)),
      )
      const found = await inTime(answer, PRIMARY_MS)
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
        // The primary is up and rejected the statement under load. The replica's data is too old to use instead.
        if ((await findPosition()) !== null) throw error
        return fromReplica(command)
      }),
    )
  })
}

/** Falls back to another server after an outage, but not after a statement timeout. */
const orElse =
  <T>(other: (error: unknown) => Promise<T>) =>
  (error: unknown): Promise<T> => {
    if (!(error instanceof DatabaseOutage) || codeOf(error) === STATEMENT_TIMED_OUT) throw error
    return other(error)
  }
