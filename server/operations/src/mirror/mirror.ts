import type { AddressInfo } from 'node:net'
import { type Config, ConfigError } from '@ordbook/db/settings/config.ts'
import { buildHealthApp } from '@ordbook/http/health/health.ts'
import type { MetricsSource } from '@ordbook/http/health/metrics.ts'
import type { Logger } from 'pino'
import { Gauge, Registry } from 'prom-client'
import { Copy } from './copy.ts'
import { Follower, type FollowerState } from './follow.ts'
import { buildLogApp } from './log-app.ts'
import { upstreamOf } from './upstream.ts'

/** Lag after which a mirror is not ready. */
const READY_SECONDS = 120

export interface MirrorOptions {
  /** Base URL of the market, or of another mirror. */
  url: string
  folder: string
  /** The market's key (`cosignKey` of `GET /keys`). If null, the first response is trusted. */
  market: string | null
  /** Maximum size of the copy. */
  mostBytes: number
  log: Logger
  now: Date
  /** Polling interval; set by tests. */
  pollMilliseconds?: number
  pauseMilliseconds?: { least: number; most: number }
  patience?: number
}

export interface Mirror {
  /** URL of the served log. */
  url: string
  copy: Copy
  state: FollowerState
  close(): Promise<void>
}

/** Copies a market's order log to a folder and serves it. Throws ConfigError. */
export async function startMirror(config: Config, options: MirrorOptions): Promise<Mirror> {
  const { log, url } = options
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new ConfigError(`${url}: expected the base URL of a market, such as https://market.example.`)
  const stopping = new AbortController()
  const upstream = upstreamOf(url, stopping.signal, options.patience)
  const existing = await Copy.identityOf(options.folder)
  const identity = existing ?? (await upstream.head().catch(asConfigError(url)))
  if (options.market !== null && identity.market !== options.market)
    throw new ConfigError(`${url} is the market ${identity.market}, not ${options.market}.`)
  const { network, market } = identity
  const copy = await Copy.open(options.folder, { network, market }, options.now)
  const follower = new Follower(copy, upstream, options)
  const readiness = async () => whyNotReady(follower.state)
  const registry = mirrorRegistry(copy, follower.state)
  const metrics: MetricsSource = {
    read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
  const publicLog = {
    head: async () => ({ ...copy.identity, head: copy.signed }),
    page: (after: number) => copy.page(after),
  }
  const apps = [await buildLogApp({ log, publicLog, readiness, metrics, config })]
  if (config.healthPort > 0) apps.push(buildHealthApp({ log, readiness, metrics, config }))
  for (const [n, app] of apps.entries())
    await app
      .listen({ host: config.host, port: n === 0 ? config.port : config.healthPort })
      .catch((error) => {
        throw new ConfigError(`${n === 0 ? 'PORT' : 'HEALTH_PORT'}: ${(error as Error).message}`)
      })
  const following = follower.run(stopping.signal)
  const { port } = apps[0]!.server.address() as AddressInfo
  return {
    url: `http://${config.host}:${port}`,
    copy,
    state: follower.state,
    async close() {
      stopping.abort()
      await following
      for (const app of apps) {
        app.server.closeIdleConnections()
        await app.close()
      }
      await copy.close()
    },
  }
}

const asConfigError = (url: string) => (error: Error) => {
  throw new ConfigError(`${url}: ${error.message}. Start the mirror again once the market responds.`, {
    cause: error,
  })
}

const secondsSince = (at: number) => (performance.now() - at) / 1000

function whyNotReady({ stopped, levelAt, trouble }: FollowerState): string | null {
  if (stopped !== null)
    return 'the market has signed two histories. The proof is in fork.json next to the copy'
  const lag = Math.round(secondsSince(levelAt))
  if (lag < READY_SECONDS) return null
  return `the copy was last up to date ${lag} s ago${trouble === null ? '' : `: ${trouble}`}`
}

export function mirrorRegistry(copy: Copy, state: FollowerState): Registry {
  const registry = new Registry()
  const gauge = (name: string, help: string, read: () => number | null) =>
    new Gauge({
      name: `ordbook_mirror_${name}`,
      help,
      registers: [registry],
      collect() {
        const value = read()
        if (value === null) this.remove()
        else this.set(value)
      },
    })
  gauge('position', 'Number of signed changes in the copy.', () => copy.signed?.position ?? 0)
  gauge(
    'market_position',
    'Number of signed changes of the market, at its last response.',
    () => state.marketPosition,
  )
  gauge('lag_seconds', 'Seconds since the copy was last up to date.', () => secondsSince(state.levelAt))
  gauge('stopped', '1 if the market has signed two histories.', () => Number(state.stopped !== null))
  gauge('bytes', 'Size of the copy, in bytes.', () => copy.size)
  new Gauge({
    name: 'ordbook_mirror_refusals',
    help: 'Rejected responses of the market since the start.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      for (const [reason, count] of state.refusals) this.set({ reason }, count)
    },
  })
  return registry
}
