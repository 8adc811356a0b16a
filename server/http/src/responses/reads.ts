import type { BaseContext } from '@ordbook/db/context.ts'
import { connect, type Queryable, type Sql } from '@ordbook/db/driver/connect.ts'
import { DatabaseOutage } from '@ordbook/db/driver/outage.ts'
import { Replica, readsOf } from '@ordbook/db/replica/replica.ts'
import { findSystem } from '@ordbook/db/replica/replica-queries.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import type { Logger } from 'pino'
import { CachedResponses } from './cached-responses.ts'

type ReadsConfig = Pick<
  Config,
  'databaseDirectUrl' | 'databaseReadUrl' | 'databaseReadConnections' | 'responseCacheMegabytes'
> & { databaseUrl: string }

/**
 * Opens the connections and the cache for public reads. `setup` must be connected to the primary. Throws
 * ConfigError if the replica belongs to another database.
 */
export async function openReads(config: ReadsConfig, setup: Sql, log: Logger) {
  const { databaseUrl, databaseReadUrl, databaseReadConnections: max } = config
  const primary = connect(databaseUrl, {
    as: 'reads',
    max,
    plansOnce: true,
    isPooled: config.databaseDirectUrl !== null,
  })
  const responses = new CachedResponses(config.databaseDirectUrl ?? databaseUrl, {
    maxBytes: config.responseCacheMegabytes * 2 ** 20,
    log,
    hasReplica: databaseReadUrl !== null,
  })
  let replica: Replica | null = null
  let reads: Queryable = primary
  if (databaseReadUrl !== null) {
    const findPosition = () => responses.position()
    replica = new Replica(databaseReadUrl, { max, own: await findSystem(setup), findPosition, log })
    await replica.start()
    reads = readsOf(replica, primary, findPosition)
  }
  return {
    responses,
    reads,
    replica,
    async closeReads() {
      responses.close()
      await Promise.all([replica?.close(), primary.end({ timeout: 5 })])
    },
  }
}

/** Statement timeout on the primary, in milliseconds. */
const TIMEOUT_MS = 2000

/** Runs `work` on the primary, or on the replica if the primary is down. */
export async function onPrimary<T>(
  { sql, reads, replica }: Pick<BaseContext, 'sql' | 'reads' | 'replica'>,
  work: (from: Queryable, isPrimary: boolean) => Promise<T>,
): Promise<T> {
  if (!replica) return work(sql, true)
  if (replica.state.isPrimaryAway) return work(reads, false)
  try {
    return await work(sql.within(TIMEOUT_MS), true)
  } catch (error) {
    if (!(error instanceof DatabaseOutage)) throw error
    return work(reads, false)
  }
}
