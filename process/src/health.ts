import { chmodSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { bindAt } from './bind.ts'
import type { Variable } from './variables.ts'

/** State of a process in one word, and why it cannot work; null if it can. */
export interface Readiness {
  state: string
  reason: string | null
}

/** A Prometheus metric, by labels. Names that end in `_total` are counters. */
export interface Figure {
  name: string
  help: string
  values: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[]
}

/** Health of a process without an API. The functions must not have side effects or reveal secrets. */
export interface Health {
  role: string
  readiness: () => Promise<Readiness> | Readiness
  figures: () => readonly Figure[]
}

const LOOPBACK = /^(127\.0\.0\.1|\[::1\]):(\d{1,5})$/

/** Anyone who can connect may read it, so it must be a socket with permissions or a port on loopback. */
export const healthSocket: Variable<string | null> = {
  read: (found) => {
    const place = found.trim()
    const port = Number(LOOPBACK.exec(place)?.[2])
    const isPath = place !== '' && !place.includes('://') && !/^[^/]*:\d+$/.test(place)
    return isPath || (port >= 1 && port <= 65_535) ? place : undefined
  },
  expected: 'a path, or 127.0.0.1:port',
  fallback: null,
  about: 'Socket of /healthz, /readyz and /metrics: a path, or 127.0.0.1:port.',
}

/** Milliseconds for a client to send its request, and to read the response. */
const TIMEOUT_MS = 5000
const BOUNDS = {
  headersTimeout: TIMEOUT_MS,
  requestTimeout: TIMEOUT_MS,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 4096,
}
const MAX_CONNECTIONS = 16

/**
 * Serves `GET /healthz` (200 while running), `GET /readyz` (503 if the process cannot work) and `GET /metrics` for Prometheus. Uses only
 * method and path of a request. Throws ConfigError if it cannot listen.
 */
export async function serveHealth(place: string, health: Health): Promise<Server> {
  const [, host, port] = LOOPBACK.exec(place) ?? []
  if (!host) rmSync(place, { force: true })
  const server = createServer(BOUNDS, answerFrom(health))
  const at = host ? { host: host.replace(/[[\]]/g, ''), port: Number(port) } : { path: place }
  await bindAt(server, at, {
    place: `HEALTH_SOCKET: ${place}`,
    milliseconds: TIMEOUT_MS,
    connections: MAX_CONNECTIONS,
  })
  if (!host) chmodSync(place, 0o660)
  return server
}

function answerFrom(health: Health): RequestListener {
  return async ({ method, url }, response) => {
    const send = (status: number, type: string, text: string) =>
      response
        .writeHead(status, { 'content-type': type, 'cache-control': 'no-store', connection: 'close' })
        .end(method === 'HEAD' ? undefined : text)
    const say = (status: number, answer: object) =>
      send(status, 'application/json', `${JSON.stringify(answer)}\n`)
    if (method !== 'GET' && method !== 'HEAD') return say(405, { error: 'only GET is answered here' })
    if (url === '/healthz') return say(200, { status: 'ok' })
    if (url !== '/readyz' && url !== '/metrics')
      return say(404, { error: 'this socket answers /healthz, /readyz and /metrics' })
    // A failing check must not end a process that signs.
    const readiness = await Promise.resolve()
      .then(health.readiness)
      .catch(() => ({ state: 'unknown', reason: 'the check failed' }))
    if (url === '/readyz')
      return readiness.reason === null
        ? say(200, { status: 'ok', state: readiness.state })
        : say(503, { status: 'unavailable', state: readiness.state, reason: readiness.reason })
    send(200, 'text/plain; version=0.0.4; charset=utf-8', metricsOf(health, readiness).map(linesOf).join(''))
  }
}

/** Metrics of a process without an API, including those of the process itself. */
export function metricsOf({ role, figures }: Health, { state, reason }: Readiness): Figure[] {
  const { user, system } = process.cpuUsage()
  return [
    {
      name: 'ordbook_role_ready',
      help: '1 if the process can work.',
      values: [[{ role }, reason === null ? 1 : 0]],
    },
    {
      name: 'ordbook_role_state',
      help: '1 for the current state; see /readyz.',
      values: [[{ role, state }, 1]],
    },
    ...figures(),
    {
      name: 'process_resident_memory_bytes',
      help: 'Resident memory size in bytes.',
      values: [[{}, process.memoryUsage.rss()]],
    },
    {
      name: 'process_cpu_seconds_total',
      help: 'Total user and system CPU time spent in seconds.',
      values: [[{}, (user + system) / 1e6]],
    },
    {
      name: 'process_start_time_seconds',
      help: 'Start time of the process since unix epoch in seconds.',
      values: [[{}, performance.timeOrigin / 1000]],
    },
  ]
}

function linesOf({ name, help, values }: Figure): string {
  const type = name.endsWith('_total') ? 'counter' : 'gauge'
  const lines = values.map(([labels, value]) => {
    const named = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`)
    return `${name}${named.length > 0 ? `{${named.join(',')}}` : ''} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
