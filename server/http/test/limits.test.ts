import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startAppendingProxy } from '../../../e2e/support/faults/appending-proxy.ts'
import { freshWallet, setUpMarket, startMarket, type TestTrader } from '../../../e2e/support/market.ts'
import { signInAtStorefront, visit } from '../../../e2e/support/storefront.ts'

const market = setUpMarket({ RATE_LIMITS: 'on', TRUST_PROXY: '1' })
let proxy: Awaited<ReturnType<typeof startAppendingProxy>>
beforeAll(async () => {
  proxy = await startAppendingProxy(market.server.url)
})
afterAll(() => proxy?.stop())

/** Returns the headers of a request from a client address. */
const from = (client: string) => ({ 'x-forwarded-for': client })
let clients = 0
/** Returns the headers of a request from an unused client address. */
const freshClient = () => from(`198.51.100.${++clients}`)

const count = (statuses: readonly number[]) =>
  Object.fromEntries(
    [...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]),
  )

describe('rate limits', () => {
  it('a client cannot forge its address', async () => {
    const request = async (base: string, invented: string) => {
      const headers = { authorization: 'Bearer wrong', ...from(invented) }
      return (await fetch(`${base}/api/v1/me`, { headers })).status
    }
    const statuses: number[] = []
    for (let n = 0; n < 500; n++)
      statuses.push(await request(proxy.url, ['evil', `10.0.${n % 256}.7`, `2001:db8:${n}::1`][n % 3]!))
    expect(count(statuses)).toEqual({ 401: 60, 429: 440 })
  })
})

describe('sign-in limit', () => {
  const challenge = async (
    { ordinalsAddress, paymentAddress }: { ordinalsAddress: string; paymentAddress: string },
    headers: Record<string, string>,
    path = '/api/v1/auth/challenge',
  ) => visit(market.server.url, path, { body: { ordinalsAddress, paymentAddress }, headers })

  it('a stranger cannot block an address from signing in', async () => {
    const { wallet } = await market.trader()
    const stranger = freshClient()
    const statuses = []
    for (let n = 0; n < 6; n++) statuses.push((await challenge(wallet, stranger)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect((await challenge(wallet, stranger, '/web/v1/session/challenge')).status).toBe(429)
    const owner = freshClient()
    expect((await challenge(wallet, owner)).status).toBe(200)
    const { opened } = await signInAtStorefront(market.server.url, wallet, owner)
    expect(opened.status).toBe(200)
  })

  it('upper and lower case of an address count together', async () => {
    const { ordinalsAddress, paymentAddress } = freshWallet()
    const client = freshClient()
    const statuses = []
    for (let n = 0; n < 6; n++)
      statuses.push(
        (
          await challenge(
            n % 2
              ? { ordinalsAddress, paymentAddress }
              : {
                  ordinalsAddress: ordinalsAddress.toUpperCase(),
                  paymentAddress: paymentAddress.toUpperCase(),
                },
            client,
          )
        ).status,
      )
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })
})

describe('rate limit buckets', () => {
  const postings = ['/collection/none/listings/preflight', '/collection/none/listings/delist']
  let trader: TestTrader
  let cookie: string
  beforeEach(async () => {
    trader = await market.trader()
    ;({ cookie } = await signInAtStorefront(market.server.url, trader.wallet, freshClient()))
  })
  const request = async (path: string, body?: unknown) => {
    const token = { authorization: `Bearer ${trader.client.token}` }
    const who = path.startsWith('/web/')
      ? { cookie, headers: freshClient() }
      : { headers: { ...token, ...freshClient() } }
    return (await visit(market.server.url, path, { ...who, ...(body === undefined ? {} : { body }) })).status
  }

  it('writes of both APIs count together', async () => {
    const statuses = []
    for (let n = 0; n < 10; n++)
      statuses.push(await request(`${n % 2 ? '/web/v1' : '/api/v1'}${postings[n % 2]}`, {}))
    expect(count(statuses)).toEqual({ 400: 8, 429: 2 })
    expect(await request('/web/v1/proposals', {})).toBe(429)
    // Signing out does not count as a write.
    expect(await request('/web/v1/session/end', {})).toBe(200)
  })

  it('an unfunded wallet has a lower write limit', async () => {
    ;({ cookie } = await signInAtStorefront(market.server.url, freshWallet(), freshClient()))
    const statuses = []
    for (let n = 0; n < 6; n++) statuses.push(await request(`/web/v1${postings[0]}`, {}))
    expect(statuses).toEqual([400, 400, 400, 400, 429, 429])
    expect(await request(`/web/v1${postings[1]}`, {})).toBe(400)
  })

  it('reads of both APIs count together', async () => {
    const statuses = []
    for (let n = 0; n < 32; n++) statuses.push(await request(n % 2 ? '/web/v1/me' : '/api/v1/me'))
    expect(count(statuses)).toEqual({ 200: 30, 429: 2 })
    expect(await request('/web/v1/session')).toBe(200)
    expect(await request('/web/v1/proposals')).toBe(200)
  })

  it('GET /status does not count as a read', async () => {
    const client = freshClient()
    const read = async (path: string) => (await visit(market.server.url, path, { headers: client })).status
    for (let n = 0; n < 100; n++) expect(await read('/status')).toBe(200)
    const statuses = []
    for (let n = 0; n < 61; n++) statuses.push(await read('/keys'))
    expect(count(statuses)).toEqual({ 200: 60, 429: 1 })
  })

  it('the order log has a separate limit', async () => {
    const strict = await startMarket({
      RATE_LIMITS: 'on',
      TRUST_PROXY: '1',
      tuning: { rateLimitOrderLog: 5 },
    })
    try {
      const client = freshClient()
      const read = (path: string, headers = client) => fetch(`${strict.server.url}${path}`, { headers })
      const statuses = []
      for (let n = 0; n < 5; n++)
        statuses.push((await read(n % 2 ? '/order-log/head' : '/order-log?after=0')).status)
      expect(count(statuses)).toEqual({ 200: 5 })
      for (const path of ['/order-log/head', '/order-log?after=0']) {
        const answer = await read(path)
        expect(answer.status).toBe(429)
        expect(await answer.json()).toMatchObject({ code: 'rate-limited', retryable: true })
        const seconds = Number(answer.headers.get('retry-after'))
        expect(seconds).toBeGreaterThanOrEqual(1)
        expect(seconds).toBeLessThanOrEqual(60)
      }
      // Other clients and other reads of this client are not affected.
      expect((await read('/order-log/head', freshClient())).status).toBe(200)
      expect((await read('/keys')).status).toBe(200)
    } finally {
      await strict.stop()
    }
  })

  it('a 429 response has a Retry-After header', async () => {
    const client = freshClient()
    for (;;) {
      const response = await visit(market.server.url, '/keys', { headers: client })
      if (response.status === 200) continue
      expect(response.status).toBe(429)
      const seconds = response.headers.get('retry-after')
      expect(response.body).toMatchObject({
        error: `Too many requests. Retry-After: ${seconds}`,
        code: 'rate-limited',
        retryable: true,
      })
      break
    }
  })
})
