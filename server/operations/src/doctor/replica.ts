import { connect, type Queryable } from '@ordbook/db/driver/connect.ts'
import { findPlace, findSystem, type Place } from '@ordbook/db/replica/replica-queries.ts'
import { CATCH_UP_SECONDS, hasCaughtUp } from './catch-up.ts'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'
import { isReplayPaused } from './queries.ts'

const ABOUT = 'replica'

/** Checks that the replica belongs to this database and keeps up. */
export const replicaCheck: Check = {
  failure: 'replica-down',
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
            'replica-foreign',
            'DATABASE_READ_URL is a different database',
            'Set it to a streaming replica of DATABASE_URL.',
          ),
        ]
      const { isReplica } = await findPlace(replica)
      if (!isReplica)
        return [
          warning(
            'replica-promoted',
            'DATABASE_READ_URL is a primary',
            'After a failover, set it to a new replica of DATABASE_URL.',
          ),
        ]
      return [await lagOf(sql, replica)]
    } finally {
      await replica.end({ timeout: 1 })
    }
  },
}

/** The age alone does not tell: on an idle market, the last replayed change is old. */
async function lagOf(primary: Queryable, replica: Queryable): Promise<Finding> {
  if (await isReplayPaused(replica))
    return warning(
      'replica-behind',
      `its replay is paused${ageOf(await findPlace(replica))}`,
      'Run select pg_wal_replay_resume() on the replica.',
    )
  const { position } = await findPlace(primary)
  if (await hasCaughtUp(position, async () => (await findPlace(replica)).position))
    return ok(ABOUT, 'replays the changes of the primary')
  const place = await findPlace(replica)
  return warning(
    'replica-behind',
    `${position - place.position} bytes behind after ${CATCH_UP_SECONDS} seconds${ageOf(place)}`,
    "Reads use the primary in the meantime. Check the replica's log and its network.",
  )
}

const ageOf = ({ ageSeconds }: Place) =>
  ageSeconds === null ? '' : `; its last change is ${Math.round(ageSeconds)} seconds old`
