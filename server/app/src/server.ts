import { setTimeout as sleep } from 'node:timers/promises'
import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { connect } from '@ordbook/db/driver/connect.ts'
import { MarketClock } from '@ordbook/db/process/clock.ts'
import { freePort, listenRefusal, refusePortInUse } from '@ordbook/db/process/free-port.ts'
import { openLog } from '@ordbook/db/process/log.ts'
import { startTraces } from '@ordbook/db/process/traces.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { type Config, ConfigError } from '@ordbook/db/settings/config.ts'
import { buildHealthApp } from '@ordbook/http/health/health.ts'
import { openReads } from '@ordbook/http/responses/reads.ts'
import { findChainTime, findTip } from '@ordbook/indexer/inscriptions/queries.ts'
import { findIndexBase, openSources } from '@ordbook/indexer/sources.ts'
import { Funding } from '@ordbook/market/auth/funding.ts'
import type { Context } from '@ordbook/market/context.ts'
import { endOrdersOfLost } from '@ordbook/market/journal-recovery.ts'
import { openKeys } from '@ordbook/market/keys/open-keys.ts'
import { dropRenderedRows } from '@ordbook/market/rendered-rows/queries.ts'
import { settlementKinds } from '@ordbook/market/settlement-kinds.ts'
import type { SettlingContext } from '@ordbook/market/settlements/kinds.ts'
import { Metrics } from '@ordbook/operations/status/metrics.ts'
import { StatusBoard } from '@ordbook/operations/status/status.ts'
import { CardRenderers } from '@ordbook/site/thumbnails/card-renderers.ts'
import { listenForRenderers } from '@ordbook/site/thumbnails/socket.ts'
import { buildApp } from './app.ts'
import { startJobs } from './jobs.ts'
import { startFollower } from './start-follower.ts'

/** A running server. */
export interface Server {
  context: SettlingContext
  /** Base address as clients see it. */
  url: string
  /** The address of the market's coins. */
  marketAddress: string
  /** The height of the index; reads the chain immediately if this process follows it. */
  sync(): Promise<number>
  close(): Promise<void>
}

/** Starts the roles of `config`. Both URLs must be set: embedded defaults are scripts/start.ts's affair. */
export async function startServer(
  config: Config & { databaseUrl: string; bitcoinRpcUrl: string },
  onProgress?: (height: number, target: number) => void,
): Promise<Server> {
  const endTraces = await startTraces(config)
  const log = openLog(config)
  if (config.roles.includes('api')) await refusePortInUse(config)
  const { node, policy, ord } = await openSources(config, log)
  const directUrl = config.databaseDirectUrl ?? config.databaseUrl
  const isPooled = config.databaseDirectUrl !== null
  const sql = connect(config.databaseUrl, { as: 'requests', max: config.databaseConnections, isPooled })
  const setup = connect(directUrl, { max: 1 })
  for (const name of await migrate(setup)) log.info({ migration: name }, 'migrated')
  const { signer, guardian, keepMarks, certificates } = await readyKeys(config, sql, log)
  const market = signer.keys

  const base = await findIndexBase(setup, ord)
  await dropRenderedRows(setup, `${config.chain} ${config.addressNetwork}`)
  const { responses, reads, replica, closeReads } = await openReads(config, setup, log)
  await setup.end()
  const time = new MarketClock(config, () => findChainTime(sql))
  const stopReading = [
    // Without the database the last times hold, and without the node the last findings.
    repeatedly(() => time.refresh(), 1000),
    repeatedly(() => policy.refresh(), 10_000),
    repeatedly(keepMarks, 2000),
  ]
  const clock = () => time.now()
  const context: SettlingContext = {
    sql,
    reads,
    replica,
    node,
    policy,
    ord,
    funding: new Funding({ node, ord, config }),
    market,
    signer,
    guardian,
    kinds: settlementKinds,
    responses,
    config,
    publicUrl: '',
    clock,
    time,
    log,
  }
  const marketAddress = addressOfScript(market.coinScript, config.addressNetwork)!
  const status = new StatusBoard(context)
  const metrics = new Metrics(context, status, certificates)
  const cards = new CardRenderers()
  const app = config.roles.includes('api') ? await listen(context, status, metrics, cards) : null
  if (!app) context.publicUrl = config.publicUrl ?? ''
  const renderers = app ? await listenForRenderers(context, cards) : null
  const health = config.healthPort === 0 ? null : await listenForHealth(context, status, metrics)
  const follower = config.roles.includes('follower')
    ? startFollower({ config, market, base }, onProgress)
    : null
  const jobs = config.roles.includes('jobs')
    ? startJobs(context, { marketAddress, refreshTime: () => time.refresh(), onDeleted: metrics.deleted })
    : null
  return {
    context,
    url: context.publicUrl,
    marketAddress,
    sync: async () => (follower ? follower.sync() : ((await findTip(sql))?.height ?? -1)),
    async close() {
      status.leave()
      const finished = jobs?.close()
      if (app) await sleep(config.drainSeconds * 1000)
      for (const stop of stopReading) stop()
      for (const each of [app, renderers, health]) if (each) await closeApp(each)
      await Promise.all([finished, follower?.close()])
      await keepMarks().catch(() => {})
      await Promise.all([closeReads(), sql.end({ timeout: 5 })])
      await endTraces()
    },
  }
}

/** Opens the keys. Orders of a lost journal end before anything is signed; the marks that are kept then say that it is done. */
async function readyKeys(config: Config, sql: Context['sql'], log: Context['log']) {
  const keys = await openKeys(config, sql, log)
  await endOrdersOfLost({ sql, log, ...keys }, keys.lost)
  await keys.keepMarks()
  return keys
}

async function listen(context: SettlingContext, status: StatusBoard, metrics: Metrics, cards: CardRenderers) {
  const { config } = context
  // The port may be chosen by the system, and the documents name it: so it is bound before they are printed.
  const port = config.port === 0 ? await freePort(config.host) : config.port
  context.publicUrl = (config.publicUrl ?? `http://${config.host}:${port}`).replace(/\/+$/, '')
  const app = await buildApp(context, status, metrics, cards)
  await status.settle()
  await app.listen({ host: config.host, port }).catch((error: NodeJS.ErrnoException) => {
    throw listenRefusal(error, { host: config.host, port })
  })
  return app
}

async function listenForHealth({ config, log }: Context, status: StatusBoard, metrics: Metrics) {
  const readiness = () => status.readiness()
  const app = buildHealthApp({ log, readiness, metrics, config })
  await app.listen({ host: config.host, port: config.healthPort }).catch((error: Error) => {
    throw new ConfigError(
      `HEALTH_PORT: found ${config.healthPort}, which cannot be listened at: ${error.message}`,
    )
  })
  return app
}

/** Finishes the answers under way, and closes idle connections, which Node would keep for a minute. */
async function closeApp(app: Awaited<ReturnType<typeof buildApp>>): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), GRACE_MILLISECONDS)
  await app.close()
  clearTimeout(late)
}
const GRACE_MILLISECONDS = 5000

/**
 * Runs work immediately and then at an interval, never concurrently. A failed run is retried at the next interval. Returns a function that
 * stops it.
 */
function repeatedly(work: () => Promise<unknown>, milliseconds: number): () => void {
  let isUnderWay = false
  const start = () => {
    if (isUnderWay) return
    isUnderWay = true
    void work()
      .catch(() => {})
      .finally(() => (isUnderWay = false))
  }
  start()
  const timer = setInterval(start, milliseconds)
  return () => clearInterval(timer)
}
