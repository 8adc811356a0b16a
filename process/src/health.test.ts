import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Health, healthSocket, serveHealth } from './health.ts'
import { ConfigError } from './variables.ts'

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

function send(url: string, method = 'GET', headers = {}): Promise<{ status: number; body: string }> {
  return new Promise((done, fail) => {
    const outgoing = request({ socketPath: path, path: url, method, headers }, (response) => {
      let body = ''
      response.on('data', (chunk) => (body += chunk))
      response.once('end', () => done({ status: response.statusCode!, body }))
    })
    outgoing.once('error', fail).end()
  })
}

it('reports why the process is not ready', async () => {
  expect(await send('/healthz')).toEqual({ status: 200, body: '{"status":"ok"}\n' })
  expect(await send('/readyz')).toEqual({ status: 200, body: '{"status":"ok","state":"active"}\n' })
  reason = 'the other host has not responded'
  expect((await send('/healthz')).status).toBe(200)
  const { status, body } = await send('/readyz')
  expect([status, JSON.parse(body)]).toEqual([503, { status: 'unavailable', state: 'waiting', reason }])
  expect((await send('/metrics')).body).toContain('ordbook_role_ready{role="signer"} 0\n')
  health.readiness = () => {
    throw new Error('a secret')
  }
  expect((await send('/readyz')).body).toContain('"reason":"the check failed"')
})

it('serves metrics in Prometheus format', async () => {
  const { body } = await send('/metrics')
  expect(body).toContain('# TYPE ordbook_role_ready gauge\nordbook_role_ready{role="signer"} 1\n')
  expect(body).toContain('# TYPE ordbook_calls_total counter\nordbook_calls_total{call="a \\"b\\""} 3\n')
  for (const line of body.trimEnd().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{.+\})? [\d.]+)$/)
})

it('rejects unknown paths and methods', async () => {
  for (const url of ['/', '/signSettlement', '/readyz?call=1', '/metrics/'])
    expect((await send(url)).status).toBe(404)
  for (const method of ['POST', 'PUT', 'DELETE']) expect((await send('/readyz', method)).status).toBe(405)
  expect((await send('/healthz', 'GET', { cookie: 'a'.repeat(5000) })).status).toBe(431)
  expect(await send('/metrics', 'HEAD')).toEqual({ status: 200, body: '' })
})

it('closes idle connections', async () => {
  const silent = Array.from({ length: 16 }, () => connect(path))
  await Promise.all(silent.map((socket) => once(socket, 'connect')))
  await expect(send('/healthz')).rejects.toThrow(/ECONNRESET|hang up/)
  // The idle connections time out, after which new requests succeed.
  await Promise.all(silent.map((socket) => once(socket.resume(), 'close')))
  expect((await send('/healthz')).status).toBe(200)
}, 30_000)

it('listens only on a socket or a loopback port', async () => {
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
