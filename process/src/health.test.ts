import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Health, healthSocket, serveHealth } from './health.ts'
import { ConfigError } from './variables.ts'

/** The health of a process, asked at a socket by well-behaved clients and by others. */
let folder: string
let path: string
let health: Health
let server: Awaited<ReturnType<typeof serveHealth>>
let reason: string | null = null

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-health-'))
  path = join(folder, 'health.sock')
  reason = null
  health = {
    role: 'signer',
    readiness: () => ({ state: reason ? 'waiting' : 'active', reason }),
    figures: () => [{ name: 'ordbook_calls_total', help: 'Calls.', values: [[{ call: 'a "b"' }, 3]] }],
  }
  server = await serveHealth(path, health)
})
afterEach(() => {
  server.close()
  server.closeAllConnections()
  rmSync(folder, { recursive: true })
})

function ask(url: string, method = 'GET', headers = {}): Promise<{ status: number; body: string }> {
  return new Promise((done, fail) => {
    const asked = request({ socketPath: path, path: url, method, headers }, (response) => {
      let body = ''
      response.on('data', (chunk) => (body += chunk))
      response.once('end', () => done({ status: response.statusCode!, body }))
    })
    asked.once('error', fail).end()
  })
}

it('reports liveness, and why the process is not ready', async () => {
  expect(await ask('/healthz')).toEqual({ status: 200, body: '{"status":"ok"}\n' })
  expect(await ask('/readyz')).toEqual({ status: 200, body: '{"status":"ok","state":"active"}\n' })
  reason = 'the other host has to answer first'
  expect((await ask('/healthz')).status).toBe(200)
  const { status, body } = await ask('/readyz')
  expect([status, JSON.parse(body)]).toEqual([503, { status: 'unavailable', state: 'waiting', reason }])
  expect((await ask('/metrics')).body).toContain('ordbook_role_ready{role="signer"} 0\n')
  health.readiness = () => {
    throw new Error('a secret')
  }
  expect((await ask('/readyz')).body).toContain('"reason":"the check failed"')
})

it('writes metrics in Prometheus format', async () => {
  const { body } = await ask('/metrics')
  expect(body).toContain('# TYPE ordbook_role_ready gauge\nordbook_role_ready{role="signer"} 1\n')
  expect(body).toContain('# TYPE ordbook_calls_total counter\nordbook_calls_total{call="a \\"b\\""} 3\n')
  for (const line of body.trimEnd().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{.+\})? [\d.]+)$/)
})

it('serves nothing else, and accepts no body', async () => {
  for (const url of ['/', '/signSettlement', '/readyz?call=1', '/metrics/'])
    expect((await ask(url)).status).toBe(404)
  for (const method of ['POST', 'PUT', 'DELETE']) expect((await ask('/readyz', method)).status).toBe(405)
  expect((await ask('/healthz', 'GET', { cookie: 'a'.repeat(5000) })).status).toBe(431)
  expect(await ask('/metrics', 'HEAD')).toEqual({ status: 200, body: '' })
})

it('closes connections above the limit and idle ones', async () => {
  const silent = Array.from({ length: 16 }, () => connect(path))
  await Promise.all(silent.map((socket) => once(socket, 'connect')))
  await expect(ask('/healthz')).rejects.toThrow(/ECONNRESET|hang up/)
  // Each of them is ended for its silence, and then others are answered.
  await Promise.all(silent.map((socket) => once(socket.resume(), 'close')))
  expect((await ask('/healthz')).status).toBe(200)
}, 30_000)

it('listens on a path with permissions or on loopback only', async () => {
  expect(statSync(path).mode & 0o777).toBe(0o660)
  for (const place of ['/run/health.sock', 'health.sock', '127.0.0.1:9400', '[::1]:9400'])
    expect(healthSocket.read(place)).toBe(place)
  for (const place of [
    '0.0.0.0:9400',
    '10.0.0.2:9400',
    ':9400',
    'tls://127.0.0.1:9400',
    '127.0.0.1:70000',
    ' ',
  ])
    expect(healthSocket.read(place)).toBeUndefined()
  await expect(serveHealth(join(folder, 'none', 'health.sock'), health)).rejects.toThrow(ConfigError)
})
