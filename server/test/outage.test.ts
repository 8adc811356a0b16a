import { once } from 'node:events'
import { connect } from 'node:net'
import { Client } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startMarket, type TestMarket, type TestTrader } from '../../e2e/support/market.ts'

let market: TestMarket
beforeAll(async () => {
  market = await startMarket({ REQUEST_SECONDS: '3' })
})
afterAll(() => market?.stop())

/** Signs a wallet in step by step; gives the raw answer to the second. */
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

it('answers 503 with Retry-After while the node hangs, and 200 once it goes on', async () => {
  const trader = await market.trader()
  market.node.signal('SIGSTOP')
  try {
    // Sign-in asks the node for the coins of the wallet.
    const late = await verify(trader)
    expect(late.status).toBe(503)
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await late.json()).toEqual({ error: expect.any(String) })
    // Reads do not need the node.
    expect(await trader.client.call('listCollectionFloorStats', { query: { slugs: 'a' } })).toBeTruthy()
  } finally {
    market.node.signal('SIGCONT')
  }
  expect((await verify(trader)).status).toBe(200)
})

it('answers 408 to a client that does not send its request in time', async () => {
  const { hostname, port } = new URL(market.server.url)
  const socket = connect(Number(port), hostname)
  socket.write(
    'POST /api/v1/auth/challenge HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
  )
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  await once(socket, 'close')
  expect(text).toMatch(/^HTTP\/1\.1 408 /)
  expect(text).toContain('The request did not arrive in time')
})
