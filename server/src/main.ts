import { pathToFileURL } from 'node:url'
import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { closeOnSignal, endOnUnexpected } from '@ordbook/signer/process-policy.ts'
import { buildApp } from './app.ts'
import { Funding } from './auth/funding.ts'
import { deleteOldSignIns } from './auth/queries.ts'
import { findBase } from './chain/adopt-queries.ts'
import { assertRunesKnown } from './chain/carried.ts'
import { assertAddressIndex } from './chain/coins.ts'
import { NodePolicy } from './chain/node-policy.ts'
import { openSource } from './chain/open-source.ts'
import { Ord } from './chain/ord.ts'
import { findChainTime, findTip } from './chain/queries.ts'
import { MarketClock } from './clock.ts'
import { finishCollectionOffers } from './collection-offers/lifecycle.ts'
import { followBids } from './collection-offers/recheck.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import type { Context } from './context.ts'
import { connect } from './db/connect.ts'
import { fenced, Lease } from './db/lease.ts'
import { migrate } from './db/migrate.ts'
import { CachedResponses } from './derived/cached-responses.ts'
import { resetRenderedRows } from './derived/rendered-row-queries.ts'
import { sendFloors } from './escrows/floors.ts'
import { freePort, listenRefusal, refusePortInUse } from './free-port.ts'
import { deleteOldEvents } from './http/event-queries.ts'
import { buildHealthApp } from './http/health.ts'
import { openKeys } from './keys/open-keys.ts'
import { expireListings } from './listings/lifecycle.ts'
import { recheckWaiting } from './listings/recheck.ts'
import { endRevoked, finishEnded } from './listings/recover.ts'
import { openLog } from './log.ts'
import { LogThrottle, loop } from './loop.ts'
import { poolOf, replenish, resumeMarketTransactions } from './market-coins/pool.ts'
import { poolAlarm } from './market-coins/pool-alarm.ts'
import { expireOffers } from './offers/lifecycle.ts'
import { endRevokedCounters, finishCounters } from './offers/recover.ts'
import { deleteExpiredPreflights } from './preflight/queries.ts'
import { expireProposals } from './proposals/lifecycle.ts'
import { settlementKinds } from './settlement-kinds.ts'
import { resumeSettlements } from './settlements/broadcast.ts'
import { bumpStuck } from './settlements/bump.ts'
import { deleteFinishedBacking } from './settlements/dependent-orders.ts'
import type { SettlingContext } from './settlements/kinds.ts'
import { startFollower } from './start-follower.ts'
import { Metrics } from './status/metrics.ts'
import { StatusBoard } from './status/status.ts'

/** A running server. */
export interface Server {
  context: SettlingContext
  /** Base address as clients see it. */
  url: string
  /** The address of the market's coins. */
  marketAddress: string
  /** The height that the index has reached; reads the chain at once if this process follows it. */
  sync(): Promise<number>
  close(): Promise<void>
}

/** Starts the roles of `config`. Both URLs must be set: embedded defaults are scripts/start.ts's affair. */
export async function startServer(
  config: Config & { databaseUrl: string; bitcoinRpcUrl: string },
  onProgress?: (height: number, target: number) => void,
): Promise<Server> {
  const log = openLog(config)
  if (config.roles.includes('api')) await refusePortInUse(config)
  const node = openSource(config.bitcoinRpcUrl)
  const { chain } = await node.blockchainInfo().catch((error: Error) => {
    const found = `${node.host} (${error.cause instanceof Error ? reasonOf(error.cause) : error.message})`
    throw new ConfigError(
      `BITCOIN_RPC_URL: found no answer from ${found}, expected a running Bitcoin Core node`,
    )
  })
  if (chain !== config.chain)
    throw new ConfigError(`CHAIN: found ${config.chain}, but the node is on ${chain}`)
  const policy = new NodePolicy(node)
  await policy
    .refresh()
    .catch((error: Error) => log.warn({ err: error }, "the node's policy is not known yet"))
  const ord = config.ordUrl ? new Ord(config.ordUrl) : null
  if (config.roles.includes('api')) {
    await assertAddressIndex({ ord, config })
    const warning = await assertRunesKnown(ord, config)
    if (warning) log.warn(warning)
  }
  const directUrl = config.databaseDirectUrl ?? config.databaseUrl
  const sql = connect(config.databaseUrl, { as: 'requests', max: config.databaseConnections })
  const reads = connect(config.databaseUrl, {
    as: 'reads',
    max: config.databaseReadConnections,
    plansOnce: true,
  })
  const setup = connect(directUrl, { max: 1 })
  for (const name of await migrate(setup)) log.info({ migration: name }, 'migrated')
  const { signer, guardian, keepMarks } = await openKeys(config, sql, log)
  const market = signer.keys

  const base = await findBase(setup)
  if (base !== null && !ord)
    throw new ConfigError(`ORD_URL: found nothing, but this index began at block ${base} of an ord server`)
  await resetRenderedRows(setup, `${config.chain} ${config.addressNetwork}`)
  await setup.end()
  const responses = new CachedResponses(directUrl, { maxBytes: config.responseCacheMegabytes * 2 ** 20, log })
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
  const stopping = new AbortController()
  const throttle = new LogThrottle(log)
  const status = new StatusBoard(context)
  const metrics = new Metrics(context, status)
  const app = config.roles.includes('api') ? await listen(context, status, metrics) : null
  if (!app) context.publicUrl = config.publicUrl ?? ''
  const health = config.healthPort === 0 ? null : await listenForHealth(context, status, metrics)
  const follower = config.roles.includes('follower')
    ? startFollower({ config, market, base }, onProgress)
    : null
  const alarm = poolAlarm(() => performance.now(), {
    low: () =>
      void poolOf(context).then(
        (pool) =>
          log.error(
            { ...pool, address: marketAddress },
            'market coins run low: send funds to the market address',
          ),
        // The alarm comes again.
        () => {},
      ),
    enough: () => log.info('market coins suffice again'),
  })
  /** Work that ends or deletes what has expired, and waits while the clock is in doubt. */
  const settled = (work: () => Promise<unknown>) => async () => {
    if (time.isSettled()) await work()
  }
  const lease = new Lease(directUrl, 'jobs')
  const jobsPool = connect(directUrl, { as: 'jobs', max: 3, name: lease.sessionName })
  // By inheritance, so that the jobs also see replacements that a test puts into the context later.
  const at: SettlingContext = Object.assign(Object.create(context) as SettlingContext, {
    sql: fenced(jobsPool, lease),
  })
  const jobs: Record<string, () => Promise<unknown>> = {
    revoked: once(async () => {
      await endRevoked(at)
      await endRevokedCounters(at)
    }),
    time: () => time.refresh(),
    expire: settled(() => expireListings(at)),
    waiting: () => recheckWaiting(at),
    floors: () => sendFloors(at),
    offers: settled(() => expireOffers(at)),
    counters: () => finishCounters(at),
    collectionOffers: () => finishCollectionOffers(at),
    bids: followBids(at),
    preflights: settled(() => deleteExpiredPreflights(at.sql, clock())),
    backing: everyMinute(settled(() => deleteFinishedBacking(at.sql, settlementKinds.orders, clock()))),
    proposals: settled(() => expireProposals(at)),
    signIns: everyMinute(settled(() => deleteOldSignIns(at.sql, clock()))),
    events: everyMinute(settled(() => deleteOldEvents(at.sql, clock()))),
    settlements: () => resumeSettlements(at),
    marketTransactions: () => resumeMarketTransactions(at),
    bump: () => bumpStuck(at),
    ended: () => finishEnded(at),
    pool: async () => alarm(await replenish(at)),
  }
  const pollMilliseconds = Math.max(config.pollMilliseconds, 1000)
  const working = config.roles.includes('jobs')
    ? loop(lease, stopping.signal, pollMilliseconds, throttle, async (signal) => {
        // A failing job does not stop the others.
        for (const [name, job] of Object.entries(jobs)) if (!signal.aborted) await throttle.run(name, job)
      })
    : null
  return {
    context,
    url: context.publicUrl,
    marketAddress,
    sync: async () => (follower ? follower.sync() : ((await findTip(sql))?.height ?? -1)),
    async close() {
      stopping.abort()
      for (const stop of stopReading) stop()
      for (const each of [app, health]) if (each) await closeApp(each)
      await Promise.all([working, follower?.close()])
      responses.close()
      await keepMarks().catch(() => {})
      await Promise.all([sql, reads, jobsPool].map((pool) => pool.end({ timeout: 5 })))
    },
  }
}

async function listen(context: SettlingContext, status: StatusBoard, metrics: Metrics) {
  const { config } = context
  // The port may be chosen by the system, and the documents name it: so it is bound before they are printed.
  const port = config.port === 0 ? await freePort(config.host) : config.port
  context.publicUrl = (config.publicUrl ?? `http://${config.host}:${port}`).replace(/\/+$/, '')
  const app = await buildApp(context, status, metrics)
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
 * Runs work at once and then at an interval, one run at a time; a failure waits for the next run. Returns a function that ends
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

/** Work that runs once a minute at most. */
function everyMinute(work: () => Promise<unknown>): () => Promise<unknown> {
  let next = 0
  return async () => {
    if (performance.now() < next) return
    next = performance.now() + 60_000
    await work()
  }
}

/** Work that runs until it succeeds once. */
function once(work: () => Promise<unknown>): () => Promise<unknown> {
  let done = false
  return async () => {
    if (done) return
    await work()
    done = true
  }
}

/** The innermost reason, the only useful one of fetch. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
}

/** `node server/src/main.ts`: the server alone, against a database and a node of the operator's. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const { databaseUrl, bitcoinRpcUrl } = config
  if (!databaseUrl || !bitcoinRpcUrl)
    throw new ConfigError('DATABASE_URL and BITCOIN_RPC_URL must be set; `npm start` brings embedded ones')
  // A supervisor that started this process by IPC gets its progress, and ends it by disconnecting.
  process.once('disconnect', () => process.exit(1))
  const report = (message: ServerMessage) => process.send?.(message)
  const server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl }, (height, target) =>
    report({ height, target }),
  )
  const { url, marketAddress, context } = server
  endOnUnexpected(context.log)
  closeOnSignal(context.log, () => server.close())
  context.log.info({ url, roles: config.roles, market: marketAddress }, 'ordbook runs')
  report({ url, marketAddress })
}

/** Messages of a server to its supervisor: the progress of a long run of blocks, and then that it runs. */
export type ServerMessage = { height: number; target: number } | { url: string; marketAddress: string }

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  main().catch((error: unknown) => {
    console.error(error instanceof ConfigError ? error.message : error)
    process.exit(1)
  })
