import { connect } from '@ordbook/db/driver/connect.ts'
import { findPlace, findSystem } from '@ordbook/db/replica/replica-queries.ts'
import { LAG_BYTES } from './database.ts'
import { type Check, fault, ok, warning } from './finding.ts'

const ABOUT = 'replica'

/** The replica of the public reads: whether it is one of this database, and keeps up. */
export const replicaCheck: Check = {
  about: ABOUT,
  mend: 'Start the replica, and see that DATABASE_READ_URL names it with user, password and database; until then the primary is read',
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
            'DATABASE_READ_URL names another database',
            'Name a streaming replica of DATABASE_URL',
          ),
        ]
      const [primary, place] = [await findPlace(sql), await findPlace(replica)]
      if (!place.isReplica)
        return [
          warning(
            ABOUT,
            'DATABASE_READ_URL names a primary',
            'After a fail-over, build a replica of it and name that',
          ),
        ]
      const behind = Math.max(0, primary.position - place.position)
      const said = `${behind} bytes behind`
      return behind <= LAG_BYTES
        ? [ok(ABOUT, said)]
        : [
            warning(
              ABOUT,
              said,
              "Reads use the primary in the meantime. Check the replica's log and its network",
            ),
          ]
    } finally {
      await replica.end({ timeout: 1 })
    }
  },
}
