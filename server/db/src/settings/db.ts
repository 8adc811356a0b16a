import { type ConfigOf, integer, readVariables, url } from '@ordbook/process/variables.ts'
import { database } from './database-hosts.ts'
import type { Environment } from './variables.ts'

/** Settings of the database. */
export const dbVariables = {
  DATABASE_URL: database(
    'PostgreSQL; of hosts separated by commas the one that is the primary. Default: an embedded one in DATA_DIR.',
  ),
  DATABASE_DIRECT_URL: database(
    'The same database past a transaction pooler, for listening, leases, follower, jobs and migrations; default DATABASE_URL.',
  ),
  DATABASE_READ_URL: url(
    null,
    ['postgres:', 'postgresql:'],
    'A streaming replica of the same database for the public reads, one server; default: they read DATABASE_URL.',
  ),
  DATABASE_CONNECTIONS: integer(6, 1, 1000, 'Most connections of a process for requests.'),
}

export const dbConstants = {
  /** Most connections of a process for public reads. */
  databaseReadConnections: 6,
}

export const readDbConfig = (environment: Environment, problems: string[]): ConfigOf<typeof dbVariables> =>
  readVariables(dbVariables, environment, problems)
