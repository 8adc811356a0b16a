import { type FaultEntry, no, OF_CHECK, OF_SETUP, OPEN } from './fault.ts'

const STARTS_NOT = { ...OF_SETUP, status: no('the server does not start') } as const

/** Faults of PostgreSQL, its replica and the clock. */
export const DATABASE_FAULTS = {
  'database-unset': {
    is: 'DATABASE_URL is not set, and no embedded database is running.',
    doctor: 'database',
    ...STARTS_NOT,
  },
  'database-down': {
    is: 'PostgreSQL does not respond, or rejects the password.',
    doctor: 'database',
    metric: 'ordbook_database_up',
    alert: 'OrdbookDatabaseDown',
    status: { reason: 'the database does not respond' },
  },
  'database-slow': {
    is: 'A query without work takes more than a quarter of a second.',
    doctor: 'database',
    metric: 'ordbook_database_seconds',
    alert: 'OrdbookDatabaseSlow',
    status: OPEN,
  },
  'database-version': {
    is: 'PostgreSQL is older than the oldest supported version.',
    doctor: 'database',
    ...OF_SETUP,
  },
  'database-read-only': {
    is: 'DATABASE_URL leads to a read-only replica.',
    doctor: 'database',
    ...OF_SETUP,
  },
  'database-unsafe': {
    is: 'A setting of PostgreSQL can lose confirmed writes in a power failure.',
    doctor: 'database',
    ...OF_SETUP,
  },
  'database-connections': {
    is: 'PostgreSQL accepts too few connections for two servers during an upgrade.',
    doctor: 'database',
    ...OF_SETUP,
  },
  'database-empty': {
    is: 'The database has no tables.',
    doctor: 'database',
    ...OF_SETUP,
  },
  'schema-old': {
    is: 'Migrations of this release are not applied.',
    doctor: 'database',
    ...OF_SETUP,
  },
  'schema-foreign': {
    is: 'The schema belongs to another release.',
    doctor: 'database',
    ...STARTS_NOT,
  },
  'replication-unknown': {
    is: 'The role of DATABASE_URL cannot read the state of the replicas.',
    doctor: 'replication',
    ...OF_SETUP,
  },
  'replication-behind': {
    is: 'A replica of this database does not receive or replay its changes.',
    doctor: 'replication',
    metric: 'ordbook_replica_lag_seconds',
    alert: 'OrdbookReplicaBehind',
    status: OPEN,
  },
  'replica-down': {
    is: 'The replica of DATABASE_READ_URL does not respond.',
    doctor: 'replica',
    metric: 'ordbook_replica_up',
    alert: 'OrdbookReplicaDown',
    status: OPEN,
  },
  'replica-behind': {
    is: 'The replica of DATABASE_READ_URL is behind the primary.',
    doctor: 'replica',
    metric: 'ordbook_replica_lag_seconds',
    alert: 'OrdbookReplicaBehind',
    status: OPEN,
  },
  'replica-foreign': {
    is: 'DATABASE_READ_URL leads to a different database.',
    doctor: 'replica',
    ...STARTS_NOT,
  },
  'replica-promoted': {
    is: 'DATABASE_READ_URL leads to a primary.',
    doctor: 'replica',
    ...OF_CHECK,
  },
  'clock-off': {
    is: 'The clocks of the server and the database differ by more than two seconds.',
    doctor: 'clock',
    metric: 'ordbook_clock_offset_seconds',
    alert: 'OrdbookClockOff',
    status: OPEN,
  },
} as const satisfies Record<string, FaultEntry>
