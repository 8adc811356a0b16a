import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { findPlace } from '@ordbook/db/replica/replica-queries.ts'
import { checkSchema } from '@ordbook/db/schema/migrate.ts'
import { readMigrations } from '@ordbook/db/schema/migrations.ts'
import { type Config, ConfigError } from '@ordbook/db/settings/config.ts'
import { findTime } from '../status/queries.ts'
import { CATCH_UP_SECONDS, hasCaughtUp } from './catch-up.ts'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'
import { type Facts, findFacts, listReplicas, type Replica } from './queries.ts'

const ABOUT = 'database'
/** The oldest supported PostgreSQL version. */
const OLDEST = 15
/** Maximum clock difference, in milliseconds. Above it, expired listings are shown or valid ones hidden. */
const CLOCK_MS = 2000
/** Maximum duration of a query without work, in milliseconds. As in the alert OrdbookDatabaseSlow. */
const SLOW_MS = 250

/** Checks the PostgreSQL server and its replicas. */
export const databaseCheck: Check = {
  failure: 'database-down',
  mend: 'Start PostgreSQL, and check the user, password and database in DATABASE_URL.',
  async examine({ sql, config }) {
    const facts = await findFacts(sql)
    const findings = [
      ...versionOf(facts),
      ...safetyOf(facts),
      ...(await schemaOf(sql)),
      ...connectionsOf(facts, config),
      ...(await replicasOf(sql)),
    ]
    const times = await timesOf(sql)
    const megabytes = Math.round(facts.bytes / 2 ** 20)
    if (findings.every(({ state }) => state === 'ok'))
      findings.unshift(ok(ABOUT, `PostgreSQL ${facts.version}, ${megabytes} MB`))
    return [...findings, ...times]
  },
}

export const noDatabase = ({ dataDir }: Config): Finding =>
  fault(
    'database-unset',
    `DATABASE_URL is not set, and no embedded database runs in ${dataDir}`,
    'Set DATABASE_URL to a PostgreSQL database, as in postgres://user:password@127.0.0.1/ordbook. If this market has an embedded database, start the market.',
  )

function versionOf({ version, isReplica }: Facts): Finding[] {
  if (isReplica)
    return [
      fault('database-read-only', 'DATABASE_URL is a read-only replica', 'Set DATABASE_URL to the primary.'),
    ]
  return Number.parseInt(version, 10) >= OLDEST
    ? []
    : [fault('database-version', `PostgreSQL ${version}`, `Install PostgreSQL ${OLDEST} or newer.`)]
}

function safetyOf({ fsync, fullPageWrites, synchronousCommit }: Facts): Finding[] {
  const mend = 'Switch it on. Otherwise a power failure can lose confirmed writes.'
  return [
    ...(fsync === 'on' ? [] : [fault('database-unsafe', 'fsync is off', mend)]),
    ...(fullPageWrites === 'on' ? [] : [fault('database-unsafe', 'full_page_writes is off', mend)]),
    ...(synchronousCommit === 'off' ? [fault('database-unsafe', 'synchronous_commit is off', mend)] : []),
  ]
}

async function schemaOf(sql: Queryable): Promise<Finding[]> {
  try {
    const applied = await checkSchema(sql)
    const pending = readMigrations().filter(({ name }) => !applied.has(name)).length
    if (pending === 0) return []
    return applied.size === 0
      ? [
          warning(
            'database-empty',
            'the database is empty',
            'Run ordbook market begin on mainnet, start a server, or restore a backup.',
          ),
        ]
      : [
          warning(
            'schema-old',
            `${pending} migrations are not applied yet`,
            'Make a backup, then restart a server to apply them.',
          ),
        ]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [fault('schema-foreign', error.message, 'Install the release that this database belongs to.')]
  }
}

function connectionsOf(
  { connections }: Facts,
  config: { databaseConnections: number; databaseReadConnections: number },
): Finding[] {
  const needed = config.databaseConnections + config.databaseReadConnections + OWN_CONNECTIONS
  if (connections >= 2 * needed) return []
  return [
    warning(
      'database-connections',
      `max_connections is ${connections}, but a process needs ${needed}, and two run in parallel during an upgrade`,
      'Raise max_connections, or lower DATABASE_CONNECTIONS.',
    ),
  ]
}
/** Connections of the listener, the follower and the jobs. */
const OWN_CONNECTIONS = 10

async function replicasOf(sql: Queryable): Promise<Finding[]> {
  const replicas = await listReplicas(sql)
  const { position } = await findPlace(sql)
  await hasCaughtUp(position, async () => oldestOf(await listReplicas(sql)))
  const later = new Map((await listReplicas(sql)).map((replica) => [replica.pid, replica.replayed]))
  return replicas.map(({ pid, state, replayed }) => {
    if (state === null || replayed === null)
      return warning(
        'replication-unknown',
        `no permission to read the state of the replica with pid ${pid}`,
        'Run as superuser: grant pg_monitor to the role of DATABASE_URL',
      )
    const left = position - (later.get(pid) ?? position)
    return state === 'streaming' && left <= 0
      ? ok('replication', `replica with pid ${pid}: ${state}, up to date`)
      : warning(
          'replication-behind',
          `replica with pid ${pid}: ${state}, ${Math.max(0, left)} bytes behind after ${CATCH_UP_SECONDS} seconds`,
          'Check the log of the replica, whether its replay is paused, and the network to it.',
        )
  })
}

/** Returns the position of the replica that is furthest behind; null if it is unknown. */
const oldestOf = (replicas: readonly Replica[]): number | null =>
  replicas.some(({ replayed }) => replayed === null)
    ? null
    : Math.min(...replicas.map(({ replayed }) => replayed!))

/** Measures the round trip and the clock difference by one query. */
async function timesOf(sql: Queryable): Promise<Finding[]> {
  const startedAt = Date.now()
  const now = await findTime(sql)
  const answered = Date.now()
  const milliseconds = answered - startedAt
  const off = now.getTime() - (startedAt + answered) / 2
  const seconds = (Math.abs(off) / 1000).toFixed(1)
  return [
    ...(milliseconds <= SLOW_MS
      ? []
      : [
          warning(
            'database-slow',
            `a query takes ${milliseconds} ms`,
            'Check the load of PostgreSQL, its disk and the network to it.',
          ),
        ]),
    Math.abs(off) <= CLOCK_MS + milliseconds / 2
      ? ok('clock', 'agrees with the database')
      : fault(
          'clock-off',
          `the clocks of this machine and the database differ by ${seconds} seconds`,
          'Synchronize both by NTP (timedatectl set-ntp true).',
        ),
  ]
}
