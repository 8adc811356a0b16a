import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { checkSchema } from '@ordbook/db/schema/migrate.ts'
import { readMigrations } from '@ordbook/db/schema/migrations.ts'
import { type Config, ConfigError } from '@ordbook/db/settings/config.ts'
import { findTime } from '../status/queries.ts'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'
import { type Facts, findFacts, listReplicas } from './queries.ts'

const ABOUT = 'database'
/** The oldest supported PostgreSQL version. */
const OLDEST = 15
/** Maximum clock difference, in milliseconds. Above it, expired listings are shown or valid ones hidden. */
const CLOCK_MS = 2000
/** Maximum replication lag, in bytes of WAL. */
export const LAG_BYTES = 64 * 2 ** 20

/** Checks the PostgreSQL server and its replicas. */
export const databaseCheck: Check = {
  about: ABOUT,
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
    const clock = await clockOf(sql)
    const megabytes = Math.round(facts.bytes / 2 ** 20)
    if (findings.every(({ state }) => state === 'ok'))
      findings.unshift(ok(ABOUT, `PostgreSQL ${facts.version}, ${megabytes} MB`))
    return [...findings, clock]
  },
}

export const noDatabase = ({ dataDir }: Config): Finding =>
  fault(
    ABOUT,
    `DATABASE_URL is not set, and no embedded database runs in ${dataDir}`,
    'Set DATABASE_URL to a PostgreSQL database, as in postgres://user:password@127.0.0.1/ordbook. If this market has an embedded database, start the market.',
  )

function versionOf({ version, isReplica }: Facts): Finding[] {
  if (isReplica)
    return [fault(ABOUT, 'DATABASE_URL is a read-only replica', 'Set DATABASE_URL to the primary.')]
  return Number.parseInt(version, 10) >= OLDEST
    ? []
    : [fault(ABOUT, `PostgreSQL ${version}`, `Install PostgreSQL ${OLDEST} or newer.`)]
}

function safetyOf({ fsync, fullPageWrites, synchronousCommit }: Facts): Finding[] {
  const mend = 'Switch it on. Otherwise a power failure can lose confirmed writes.'
  return [
    ...(fsync === 'on' ? [] : [fault(ABOUT, 'fsync is off', mend)]),
    ...(fullPageWrites === 'on' ? [] : [fault(ABOUT, 'full_page_writes is off', mend)]),
    ...(synchronousCommit === 'off' ? [fault(ABOUT, 'synchronous_commit is off', mend)] : []),
  ]
}

async function schemaOf(sql: Queryable): Promise<Finding[]> {
  try {
    const applied = await checkSchema(sql)
    const pending = readMigrations().filter(({ name }) => !applied.has(name)).length
    if (pending === 0) return []
    return applied.size === 0
      ? [warning(ABOUT, 'the database is empty', 'Start a server, or restore a backup.')]
      : [
          warning(
            ABOUT,
            `${pending} migrations are not applied yet`,
            'Make a backup, then restart a server to apply them.',
          ),
        ]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [fault(ABOUT, error.message, 'Install the release that this database belongs to.')]
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
      ABOUT,
      `max_connections is ${connections}, but a process needs ${needed}, and two run in parallel during an upgrade`,
      'Raise max_connections, or lower DATABASE_CONNECTIONS.',
    ),
  ]
}
/** Connections of the listener, the follower and the jobs. */
const OWN_CONNECTIONS = 10

async function replicasOf(sql: Queryable): Promise<Finding[]> {
  return (await listReplicas(sql)).map(({ pid, state, behind }) => {
    const about = 'replication'
    if (state === null || behind === null)
      return warning(
        about,
        `no permission to read the state of the replica with pid ${pid}`,
        'Run as superuser: grant pg_monitor to the role of DATABASE_URL',
      )
    const found = `replica with pid ${pid}: ${state}, ${behind} bytes behind`
    return state === 'streaming' && behind <= LAG_BYTES
      ? ok(about, found)
      : warning(about, found, 'Check the log of the replica, and the network to it.')
  })
}

async function clockOf(sql: Queryable): Promise<Finding> {
  const startedAt = Date.now()
  const now = await findTime(sql)
  const answered = Date.now()
  const off = now.getTime() - (startedAt + answered) / 2
  const seconds = (Math.abs(off) / 1000).toFixed(1)
  return Math.abs(off) <= CLOCK_MS + (answered - startedAt) / 2
    ? ok('clock', 'agrees with the database')
    : fault(
        'clock',
        `the clocks of this machine and the database differ by ${seconds} seconds`,
        'Synchronize both by NTP (timedatectl set-ntp true).',
      )
}
