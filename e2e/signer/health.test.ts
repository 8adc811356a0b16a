import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { readSecret } from '@ordbook/signer/secret.ts'
import { remoteSigner } from '@ordbook/signer-host/client.ts'
import { socketLink } from '@ordbook/signer-host/socket-link.ts'
import { afterEach, expect, it } from 'vitest'
import { socketFolder, startRenderer } from '../previews/support/renderer.ts'
import { expectInMetrics } from '../support/faults/fault-places.ts'
import { until } from '../support/market.ts'
import { startNode } from '../support/node.ts'
import { TestAuthority } from './support/certificates.ts'
import { KeyProcess } from './support/key-process.ts'

const COIN = `${'11'.repeat(32)}:0`
const started: { remove(): unknown }[] = []
const keep = <T extends { remove(): unknown }>(each: T): T => {
  started.push(each)
  return each
}
afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each.remove()
})

/** Sends a GET to a socket path, or to `127.0.0.1:port`. */
function get(place: string, path: string): Promise<{ status: number; text: string }> {
  const [host, port] = place.split(':')
  return new Promise((done, fail) => {
    const asked = request(port ? { host, port, path } : { socketPath: place, path }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.once('end', () => done({ status: response.statusCode!, text }))
    })
    asked.once('error', fail).end()
  })
}

const readiness = async (place: string) => {
  const { status, text } = await get(place, '/readyz')
  const { state, reason = '' } = JSON.parse(text) as { state: string; reason?: string }
  return { status, state, reason }
}
const metricsOf = (place: string) => async () => (await get(place, '/metrics')).text
const waitForState = (place: string, state: string) =>
  until(state, async () => (await readiness(place).catch(() => null))?.state === state)

it("reports a signer's unwritable or missing journal", async () => {
  const signer = keep(new KeyProcess('signer'))
  const place = join(signer.directory, 'health.sock')
  await signer.start({ HEALTH_SOCKET: place })
  await waitForState(place, 'active')
  const secret = readSecret(signer.secretFile)
  const client = await remoteSigner(socketLink(signer.socket, secret))
  await client.raiseFloors([{ outpoint: COIN, floor: 1 }])
  expect((await readiness(place)).status).toBe(200)

  // Simulate a full disk with a file size limit.
  const limit = (bytes: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(signer.pid), `--fsize=${bytes}:unlimited`])
  limit(statSync(signer.journal).size)
  await expect(client.raiseFloors([{ outpoint: COIN, floor: 2 }])).rejects.toThrow()
  const full = await readiness(place)
  expect([full.status, full.state]).toEqual([503, 'failed'])
  expect(full.reason).toMatch(/cannot write the journal: the last write failed: .*EFBIG/)
  await expectInMetrics(['journal-unwritable'], metricsOf(place))
  expect((await get(place, '/healthz')).status).toBe(200)
  limit('unlimited')
  await client.raiseFloors([{ outpoint: COIN, floor: 3 }])
  expect((await readiness(place)).status).toBe(200)

  renameSync(signer.journal, `${signer.journal}-away`)
  expect((await readiness(place)).reason).toMatch(/cannot write the journal: ENOENT/)
  renameSync(`${signer.journal}-away`, signer.journal)
  expect((await readiness(place)).status).toBe(200)

  const { text } = await get(place, '/metrics')
  expect(text).toContain('ordbook_role_ready{role="signer"} 1\n')
  expect(text).toContain('ordbook_key_calls_total{role="signer",call="raiseFloors",status="200"} 2\n')
  expect(text).toContain('ordbook_key_calls_total{role="signer",call="raiseFloors",status="500"} 1\n')
  const seeds = ['cosign.key', 'coins.key'].map((name) => readFileSync(join(signer.directory, name), 'utf8'))
  for (const each of [...seeds, Buffer.from(secret).toString('hex')]) expect(text).not.toContain(each.trim())
  const lines = readFileSync(signer.journal, 'utf8')
  for (const path of ['/metrics', '/readyz', '/raiseFloors']) await get(place, path)
  expect(readFileSync(signer.journal, 'utf8')).toBe(lines)
  const alerts = readFileSync(join(import.meta.dirname, '../../deploy/prometheus/alerts.yaml'), 'utf8')
  const read = new Set([...alerts.matchAll(/\bordbook_role_(?!unassigned)\w+/g)].map(([name]) => name))
  expect(read.size).toBeGreaterThan(0)
  for (const name of read) expect(text).toContain(`# TYPE ${name} `)
}, 60_000)

it('reports the state of each host of a pair', async () => {
  const authority = keep(new TestAuthority())
  const ports = await Promise.all(Array.from({ length: 4 }, () => freePort()))
  const [one, two] = ports.slice(2).map((port) => `tls://127.0.0.1:${port}`) as [string, string]
  const [first, second] = ports
    .slice(0, 2)
    .map((port) => keep(new KeyProcess('signer', `tls://127.0.0.1:${port}`))) as [KeyProcess, KeyProcess]
  const placeOf = ({ directory }: KeyProcess) => join(directory, 'health.sock')
  const settingsOf = (host: KeyProcess, name: string, own: string, peer: string) => ({
    SIGNER_HOST: name,
    SIGNER_PAIR_SOCKET: own,
    SIGNER_PEER_SOCKET: peer,
    HEALTH_SOCKET: placeOf(host),
    ...authority.settings('signer'),
  })
  const startFirst = (more = {}) => first.start({ ...settingsOf(first, 'one', one, two), ...more })
  const startSecond = () => second.start(settingsOf(second, 'two', two, one))
  await startFirst({ SIGNER_FORCE_TERM: '0' })
  await waitForState(placeOf(first), 'alone')
  expect((await readiness(placeOf(first))).status).toBe(200)
  for (const name of ['cosign.key', 'coins.key', 'signer.journal'])
    copyFileSync(join(first.directory, name), join(second.directory, name))
  await startSecond()
  await waitForState(placeOf(first), 'active')
  await waitForState(placeOf(second), 'standby')
  expect((await readiness(placeOf(second))).status).toBe(200)
  expect((await get(placeOf(first), '/metrics')).text).toMatch(
    /^ordbook_certificate_days_left\{of="signer"\} \d/m,
  )

  await second.stop()
  await waitForState(placeOf(first), 'waiting')
  const waiting = await readiness(placeOf(first))
  expect([waiting.status, waiting.reason]).toEqual([503, expect.stringContaining('SIGNER_FORCE_TERM=1')])
  await first.stop()
  await startSecond()
  await waitForState(placeOf(second), 'waiting')
  expect((await readiness(placeOf(second))).reason).toContain('one signs in term 1')
}, 60_000)

it("reports that a guardian's node is down", async () => {
  const node = await startNode()
  const stop = keep({ remove: () => node.stop() })
  const guardian = keep(new KeyProcess('guardian'))
  const place = `127.0.0.1:${await freePort()}`
  await guardian.start({ HEALTH_SOCKET: place, BITCOIN_RPC_URL: node.url })
  await waitForState(place, 'active')
  started.splice(started.indexOf(stop), 1)
  await node.stop()
  await waitForState(place, 'waiting')
  const { status, reason } = await readiness(place)
  expect([status, reason]).toEqual([
    503,
    expect.stringMatching(/guardian’s node is unavailable: .*ECONNREFUSED/),
  ])
  expect(reason).not.toContain('test')
  await expectInMetrics(['role-not-ready'], metricsOf(place))
  expect(await metricsOf(place)()).toContain('ordbook_role_state{role="guardian",state="waiting"} 1\n')
}, 60_000)

it('reports that a renderer cannot reach its market', async () => {
  const folder = keep(socketFolder())
  const place = `127.0.0.1:${await freePort()}`
  const renderer = await startRenderer(folder.path, { HEALTH_SOCKET: place, PREVIEW_CONCURRENCY: '1' })
  keep({ remove: () => renderer.stop() })
  await waitForState(place, 'waiting')
  const { status, reason } = await readiness(place)
  expect([status, reason]).toEqual([503, expect.stringMatching(/workers failed: .*ENOENT/)])
  await expectInMetrics(['previews-unreachable'], metricsOf(place))
  expect((await get(place, '/healthz')).status).toBe(200)
}, 60_000)
