import { once } from 'node:events'
import { connect } from 'node:net'
import { startServer } from '@ordbook/app/server.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { Client } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startProxy, type TcpProxy } from '../../../e2e/support/faults/proxy.ts'
import {
  freshDatabase,
  startMarket,
  type TestMarket,
  type TestTrader,
  testConfig,
  until,
} from '../../../e2e/support/market.ts'

let market: TestMarket
/** Proxy in front of the database. */
let proxy: TcpProxy
beforeAll(async () => {
  const url = new URL(await freshDatabase())
  proxy = await startProxy(Number(url.port))
  url.port = String(proxy.port)
  market = await startMarket({ tuning: { requestSeconds: 3 } }, undefined, { databaseUrl: url.href })
})
afterAll(async () => {
  await market?.stop()
  await proxy?.close()
})

/** Signs in. Returns the raw response to the second request. */
async function verify({ wallet }: TestTrader): Promise<Response> {
  const { ordinalsAddress, paymentAddress } = wallet
  const begun = await new Client(market.base).call('createAuthChallenge', {
    body: { ordinalsAddress, paymentAddress },
  })
  const verifications = []
  for (const { challengeId, message, address } of begun.challenges)
    verifications.push({ challengeId, address, signature: await wallet.signMessage(address, message) })
  return fetch(`${market.base}/auth/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ authRequestId: begun.authRequestId, verifications }),
  })
}

it('sign-in returns 503 while the node hangs', async () => {
  const trader = await market.trader()
  market.node.signal('SIGSTOP')
  try {
    // Sign-in reads the wallet's coins from the node.
    const response = await verify(trader)
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await response.json()).toMatchObject({ error: expect.any(String), retryable: true })
    // Reads do not need the node.
    expect(await trader.client.call('listCollectionFloorStats', { query: { slugs: 'a' } })).toBeTruthy()
  } finally {
    market.node.signal('SIGCONT')
  }
  expect((await verify(trader)).status).toBe(200)
})

it('the server returns 408 for a slow request', async () => {
  const { hostname, port } = new URL(market.server.url)
  const socket = connect(Number(port), hostname)
  socket.write(
    'POST /api/v1/auth/challenge HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
  )
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  await once(socket, 'close')
  expect(text).toMatch(/^HTTP\/1\.1 408 /)
  expect(text).toContain('The request was not received in time')
})

const status = async (url: string): Promise<any> => (await fetch(`${url}/status`)).json()

it('/status responds while node and database hang', async () => {
  const { url } = market.server
  await until('open trading', async () => (await status(url)).trading === 'open')
  market.node.signal('SIGSTOP')
  proxy.hole()
  try {
    // The limit is one second; the test allows for a slow machine.
    const poll = () =>
      Promise.all([
        fetch(`${url}/status`, { signal: AbortSignal.timeout(2000) }).then((answer) => answer.json() as any),
        fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2000) }).then((answer) => answer.status),
        fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).then((answer) => answer.status),
      ])
    await until('a pause', async () => (await poll())[0].trading === 'paused')
    const [paused, live, ready] = await poll()
    expect(paused).toMatchObject({ reason: 'the database does not respond', database: 'unavailable' })
    expect(paused.databaseAgeSeconds).toBeGreaterThan(1)
    expect([live, ready]).toEqual([200, 503])
  } finally {
    proxy.pass()
    market.node.signal('SIGCONT')
  }
  await until('open trading', async () => (await status(url)).trading === 'open')
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})

it('trading pauses while the mempool is unavailable', async () => {
  await market.server.close()
  const config = testConfig({ DATA_DIR: market.dataDir, ROLES: 'api' })
  const { databaseUrl, node } = market
  market.server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: node.url })
  const { url } = market.server
  const reason = async () => {
    // The status is cached for a second.
    await new Promise((done) => setTimeout(done, 1100))
    return (await status(url)).reason
  }
  expect(await reason()).toBe(null)
  await market.sql`update mempool_poll set polled_at = now() - interval '75 seconds', unread = 12000`
  expect(await reason()).toMatch(/^the mempool was last read 7\d seconds ago \(12000 transactions to go\)$/)
  await market.sql`update mempool_poll set polled_at = null, unread = null`
  expect(await reason()).toBe('the mempool has not been read yet')
  await market.sql`update mempool_poll set polled_at = now()`
  expect(await reason()).toBe(null)
})

it('a server without the api role serves /readyz on HEALTH_PORT', async () => {
  const [port, config] = [await freePort(), testConfig({ DATA_DIR: market.dataDir, ROLES: 'jobs' })]
  const { databaseUrl, node } = market
  const jobs = await startServer({ ...config, healthPort: port, databaseUrl, bitcoinRpcUrl: node.url })
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
  expect([
    await statusOf('/healthz'),
    await statusOf('/readyz'),
    await statusOf('/metrics'),
    await statusOf('/status'),
  ]).toEqual([200, 200, 200, 404])
  await jobs.close()
  await expect(statusOf('/healthz')).rejects.toThrow()
})
