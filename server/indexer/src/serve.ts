import { connect } from '@ordbook/db/driver/connect.ts'
import { MarketClock } from '@ordbook/db/process/clock.ts'
import { assertPortFree, freePort, listenRefusal } from '@ordbook/db/process/free-port.ts'
import { openLog } from '@ordbook/db/process/log.ts'
import { claimForIndexer } from '@ordbook/db/schema/identity.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { openApp } from '@ordbook/http/app.ts'
import { registerHealth } from '@ordbook/http/health/health.ts'
import { openLimiter, registerCounted } from '@ordbook/http/limits/counted.ts'
import { openReads } from '@ordbook/http/responses/reads.ts'
import { contentSender, registerContent } from './content/serve.ts'
import type { ChainContext } from './context.ts'
import { followChain, NO_CONSUMERS } from './follow.ts'
import { findChainTime, findTip } from './inscriptions/queries.ts'
import { registerRecursive } from './recursion/recursive.ts'
import { findIndexBase, openSources } from './sources.ts'

export interface Indexer {
  context: ChainContext
  url: string
  /** Runs one pass over chain and mempool. Returns the index height. */
  sync(): Promise<number>
  close(): Promise<void>
}

/**
 * Starts an indexer without a market, in a separate database. Serves `/content`, `/preview`, `/r` and `/healthz`. Throws ConfigError for a
 * market's database.
 */
export async function startIndexer(
  config: Config & { databaseUrl: string; bitcoinRpcUrl: string },
  onProgress: (height: number, target: number) => void = () => {},
): Promise<Indexer> {
  const log = openLog(config)
  await assertPortFree(config)
  const { node, policy, ord } = await openSources(config, log)
  const setup = connect(config.databaseDirectUrl ?? config.databaseUrl, { max: 1 })
  for (const name of await migrate(setup)) log.info({ migration: name }, 'migrated')
  await claimForIndexer(setup, config.chain)
  const base = await findIndexBase(setup, ord)
  const { reads, replica, closeReads } = await openReads(config, setup, log)
  await setup.end()
  const sql = connect(config.databaseUrl, {
    as: 'requests',
    max: config.databaseConnections,
    isPooled: config.databaseDirectUrl !== null,
  })
  const time = new MarketClock(config, () => findChainTime(sql))
  const port = config.port === 0 ? await freePort(config.host) : config.port
  const context: ChainContext = {
    sql,
    reads,
    replica,
    node,
    policy,
    ord,
    base,
    config,
    publicUrl: (config.publicUrl ?? `http://${config.host}:${port}`).replace(/\/+$/, ''),
    clock: () => time.now(),
    time,
    log,
  }
  const app = await openApp(context, () => {})
  const sender = contentSender(context)
  const limiter = openLimiter(app, context)
  await registerCounted(app, limiter, 'content', (scope) => registerContent(scope, sender))
  await registerCounted(app, limiter, 'recursion', (scope) => registerRecursive(scope, context, sender))
  registerHealth(app, async () => ((await findTip(sql)) ? null : 'no block is indexed yet'))
  const following = followChain({ config, base }, NO_CONSUMERS, onProgress)
  await app.listen({ host: config.host, port }).catch((error: NodeJS.ErrnoException) => {
    throw listenRefusal(error, { host: config.host, port })
  })
  return {
    context,
    url: context.publicUrl,
    sync: () => following.sync(),
    async close() {
      await app.close()
      await following.close()
      await Promise.all([closeReads(), sql.end({ timeout: 5 })])
    },
  }
}
