import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Asked, everyRequest } from '../../../e2e/operations/support/every-request.ts'
import { startProxy, type TcpProxy } from '../../../e2e/support/faults/proxy.ts'
import {
  freshDatabase,
  startMarket,
  type TestMarket,
  type TestTrader,
  until,
} from '../../../e2e/support/market.ts'
import { signInAtStorefront } from '../../../e2e/support/storefront.ts'

const REQUEST_SECONDS = 2
/** The request timeout, with margin for a slow machine. */
const TIMEOUT_MS = REQUEST_SECONDS * 1000 + 4000

let market: TestMarket
let proxy: TcpProxy
let trader: TestTrader
let cookie: string
/** Cookie of another wallet, for the requests that end sessions. */
let otherCookie: string
let requests: Asked[]

beforeAll(async () => {
  const url = new URL(await freshDatabase())
  proxy = await startProxy(Number(url.port))
  url.port = String(proxy.port)
  market = await startMarket({ tuning: { requestSeconds: REQUEST_SECONDS } }, undefined, {
    databaseUrl: url.href,
  })
  trader = await market.trader()
  cookie = (await signInAtStorefront(market.server.url, trader.wallet)).cookie
  otherCookie = (await signInAtStorefront(market.server.url, (await market.trader()).wallet)).cookie
  requests = await everyRequest(market, market.server.url, { trader, cookie, otherCookie })
  // The first pass compiles and plans everything, so slow requests are allowed.
  await askAll({ mayFail: true })
})
afterAll(async () => {
  proxy?.pass()
  await market?.stop()
  await proxy?.close()
})

interface Answered {
  name: string
  status: number
  retryAfter: string | null
  text: string
}

async function send({ name, path, method, headers, body }: Asked): Promise<Answered> {
  const response = await fetch(`${market.server.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: Error) => {
    throw new Error(`${name}: ${error.message}`)
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream) await response.body!.cancel()
  const text = isStream ? '' : await response.text()
  return { name, status: response.status, retryAfter: response.headers.get('retry-after'), text }
}

/** Sends all requests with more workers than there are connections. */
async function askAll({ mayFail = false } = {}): Promise<Map<string, Answered>> {
  const answers = new Map<string, Answered>()
  const queue = [...requests]
  const worker = async () => {
    for (let next = queue.pop(); next; next = queue.pop())
      try {
        answers.set(next.name, await send(next))
      } catch (error) {
        if (!mayFail) throw error
      }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  return answers
}

async function untilReady(): Promise<void> {
  const { url } = market.server
  await until('readiness', async () => (await fetch(`${url}/readyz`)).status === 200)
  await until('open trading', async () => {
    const status = (await (await fetch(`${url}/status`)).json()) as { trading: string }
    return status.trading === 'open'
  })
}

/** Errors that need no database: invalid requests and unknown paths. */
const OF_THE_REQUEST = [400, 403, 404, 406]

it.each([
  ['is stopped', () => proxy.refuse()],
  ['hangs', () => proxy.hole()],
])(
  'every route responds while the database %s',
  {
    timeout: 240_000,
  },
  async (_name, fault) => {
    await untilReady()
    const healthy = await askAll()
    for (const { name, status, text } of healthy.values())
      expect(status, `${name}: ${text}`).toBeLessThan(500)
    // Wait until the session cache has expired.
    await new Promise((done) => setTimeout(done, 1100))
    fault()
    try {
      const answers = await askAll()
      let refused = 0
      for (const { name, status, retryAfter, text } of answers.values()) {
        const before = healthy.get(name)!.status
        const message = `${name} returned ${status}, and ${before} before: ${text.slice(0, 200)}`
        if (status === 503) {
          refused++
          expect(Number(retryAfter), message).toBeGreaterThan(0)
        } else if (status === 200) expect(before, message).toBe(200)
        else {
          expect(OF_THE_REQUEST, message).toContain(status)
          expect(status, message).toBe(before)
        }
      }
      console.log(`${answers.size} responses, ${refused} of them 503`)
      expect(refused).toBeGreaterThan(60)
      const status = await fetch(`${market.server.url}/status`, { signal: AbortSignal.timeout(2000) })
      expect([status.status, (await fetch(`${market.server.url}/healthz`)).status]).toEqual([200, 200])
      expect((await fetch(`${market.server.url}/readyz`)).status).toBe(503)
    } finally {
      proxy.pass()
    }
    await untilReady()
    const after = await askAll()
    for (const { name, status } of after.values())
      if (!/sessions?\b.*\/end$/.test(name)) expect(status, name).toBe(healthy.get(name)!.status)
  },
)
