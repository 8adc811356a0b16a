import { setTimeout as sleep } from 'node:timers/promises'
import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { connect } from '@ordbook/db/driver/connect.ts'
import { MarketClock } from '@ordbook/db/process/clock.ts'
import { assertPortFree, freePort, listenRefusal } from '@ordbook/db/process/free-port.ts'
import { openLog } from '@ordbook/db/process/log.ts'
import { startTraces } from '@ordbook/db/process/traces.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { type Config, ConfigError } from '@ordbook/db/settings/config.ts'
import { buildHealthApp } from '@ordbook/http/health/health.ts'
import { openReads } from '@ordbook/http/responses/reads.ts'
import type { Following } from '@ordbook/indexer/follow.ts'
import { findChainTime, findTip } from '@ordbook/indexer/inscriptions/queries.ts'
import type { ChainSource } from '@ordbook/indexer/node/source.ts'
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

export interface Server {
  context: SettlingContext
  url: string
  marketAddress: string
  /** Returns the height of the index. Polls the chain first if this process is the follower. */
  sync(): Promise<number>
  close(): Promise<void>
}

/** Starts the roles in `config`. scripts/start.ts sets the URLs of embedded services. */
export async function startServer(
  config: Config & { databaseUrl: string; bitcoinRpcUrl: string },
  onProgress?: (height: number, target: number) => void,
): Promise<Server> {
  const endTraces = await startTraces(config)
  const log = openLog(config)
  if (config.roles.includes('api')) await assertPortFree(config)
  const { node: source, policy, ord } = await openSources(config, log)
  let follower: Following | null = null
  const node = afterBroadcast(source, () => follower?.wake())
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
    // On failure, the last results stay in use.
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
    base,
    funding: new Funding({ sql, node, ord, config }),
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
  follower = config.roles.includes('follower') ? startFollower({ config, market, base }, onProgress) : null
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

/** Returns the source, with `work` after each broadcast. */
function afterBroadcast(source: ChainSource, work: () => void): ChainSource {
  return Object.assign(Object.create(source) as ChainSource, {
    submitPackage(this: ChainSource, hexes: readonly string[]) {
      return source.submitPackage.call(this, hexes).finally(work)
    },
  })
}

/** Opens the keys. Orders of a lost journal must end before anything is signed. */
async function readyKeys(config: Config, sql: Context['sql'], log: Context['log']) {
  const keys = await openKeys(config, sql, log)
  await endOrdersOfLost({ sql, log, ...keys }, keys.lost)
  await keys.keepMarks()
  return keys
}

async function listen(context: SettlingContext, status: StatusBoard, metrics: Metrics, cards: CardRenderers) {
  const { config } = context
  // The API documents contain the URL, so the port must be known before they are rendered.
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
    throw new ConfigError(`HEALTH_PORT: cannot listen on ${config.healthPort}: ${error.message}`)
  })
  return app
}

/** Finishes pending responses, then closes idle connections, which Node would keep open for a minute. */
async function closeApp(app: Awaited<ReturnType<typeof buildApp>>): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), GRACE_MILLISECONDS)
  await app.close()
  clearTimeout(timer)
}
const GRACE_MILLISECONDS = 5000

/**
 * Runs `work` now and then at an interval, never concurrently. Ignores errors. Returns a function that stops
 * it.
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
