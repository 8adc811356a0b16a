import { chmodSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { bindAt } from './bind.ts'
import type { Variable } from './variables.ts'

/** `reason` is null if the process can work. */
export interface Readiness {
  state: string
  reason: string | null
}

/** A Prometheus metric by label. Names that end in `_total` are counters. */
export interface Figure {
  name: string
  help: string
  values: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[]
}

/** Health checks of a process without an API. Must not have side effects or reveal secrets. */
export interface Health {
  role: string
  readiness: () => Promise<Readiness> | Readiness
  figures: () => readonly Figure[]
}

const LOOPBACK = /^(127\.0\.0\.1|\[::1\]):(\d{1,5})$/

/** Health socket. Requests are not authenticated, so it must be a socket file or a loopback port. */
export const healthSocket: Variable<string | null> = {
  read: (value) => {
    const place = value.trim()
    const port = Number(LOOPBACK.exec(place)?.[2])
    const isPath = place !== '' && !place.includes('://') && !/^[^/]*:\d+$/.test(place)
    return isPath || (port >= 1 && port <= 65_535) ? place : undefined
  },
  expected: 'a path, or 127.0.0.1:port',
  fallback: null,
  about: 'Socket of /healthz, /readyz and /metrics: a path, or 127.0.0.1:port.',
}

/** Timeout for sending a request and for reading the response. */
const TIMEOUT_MS = 5000
const BOUNDS = {
  headersTimeout: TIMEOUT_MS,
  requestTimeout: TIMEOUT_MS,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 4096,
}
const MAX_CONNECTIONS = 16

/**
 * Serves `GET /healthz` (200 while running), `GET /readyz` (503 if the process cannot work) and `GET /metrics` (Prometheus). Throws
 * ConfigError if it cannot listen.
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
    const sendJson = (status: number, content: object) =>
      send(status, 'application/json', `${JSON.stringify(content)}\n`)
    if (method !== 'GET' && method !== 'HEAD')
      return sendJson(405, { error: 'Only GET and HEAD are allowed.' })
    if (url === '/healthz') return sendJson(200, { status: 'ok' })
    if (url !== '/readyz' && url !== '/metrics')
      return sendJson(404, { error: 'Not found. Use /healthz, /readyz or /metrics.' })
    // A failing check must not crash a process that signs.
    const readiness = await Promise.resolve()
      .then(health.readiness)
      .catch(() => ({ state: 'unknown', reason: 'the check failed' }))
    if (url === '/readyz')
      return readiness.reason === null
        ? sendJson(200, { status: 'ok', state: readiness.state })
        : sendJson(503, { status: 'unavailable', state: readiness.state, reason: readiness.reason })
    send(200, 'text/plain; version=0.0.4; charset=utf-8', metricsOf(health, readiness).map(linesOf).join(''))
  }
}

/** Returns the figures and the standard process metrics. */
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
    const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`)
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
