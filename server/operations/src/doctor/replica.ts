import { connect } from '@ordbook/db/driver/connect.ts'
import { findPlace, findSystem } from '@ordbook/db/replica/replica-queries.ts'
import { LAG_BYTES } from './database.ts'
import { type Check, fault, ok, warning } from './finding.ts'

const ABOUT = 'replica'

/** Checks that the replica belongs to this database and keeps up. */
export const replicaCheck: Check = {
  about: ABOUT,
  mend: 'Start the replica, and check the user, password and database in DATABASE_READ_URL. Until then, reads use the primary.',
  byDatabase: true,
  async examine({ sql, config }) {
    if (config.databaseReadUrl === null) return []
    const replica = connect(config.databaseReadUrl, { as: 'requests', max: 1, name: 'ordbook doctor' })
    try {
      const [own, found] = [await findSystem(sql), await findSystem(replica)]
      if (own.systemId !== found.systemId || own.database !== found.database)
        return [
          fault(
            ABOUT,
            'DATABASE_READ_URL is a different database',
            'Set it to a streaming replica of DATABASE_URL.',
          ),
        ]
      const [primary, place] = [await findPlace(sql), await findPlace(replica)]
      if (!place.isReplica)
        return [
          warning(
            ABOUT,
            'DATABASE_READ_URL is a primary',
            'After a failover, set it to a new replica of DATABASE_URL.',
          ),
        ]
      const behind = Math.max(0, primary.position - place.position)
      const lag = `${behind} bytes behind`
      return behind <= LAG_BYTES
        ? [ok(ABOUT, lag)]
        : [
            warning(
              ABOUT,
              lag,
              "Reads use the primary in the meantime. Check the replica's log and its network.",
            ),
          ]
    } finally {
      await replica.end({ timeout: 1 })
    }
  },
}
