import type { Environment } from '@ordbook/process/settings-file.ts'
import { type ConfigOf, integer, readVariables, url } from '@ordbook/process/variables.ts'
import { database } from './database-hosts.ts'

export const dbVariables = {
  DATABASE_URL: database(
    'PostgreSQL. With several hosts separated by commas, the primary is used. Default: an embedded server in DATA_DIR.',
  ),
  DATABASE_DIRECT_URL: database('The same database, bypassing a transaction pooler. Default: DATABASE_URL.'),
  DATABASE_READ_URL: url(
    null,
    ['postgres:', 'postgresql:'],
    'One streaming replica for public reads. Default: DATABASE_URL.',
  ),
  DATABASE_CONNECTIONS: integer(6, 1, 1000, 'Maximum connections of a process for requests.'),
}

export const dbConstants = {
  /** Maximum connections of a process for public reads. */
  databaseReadConnections: 6,
}

export const readDbConfig = (environment: Environment, problems: string[]): ConfigOf<typeof dbVariables> =>
  readVariables(dbVariables, environment, problems)
