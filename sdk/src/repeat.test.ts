import { describe, expect, it } from 'vitest'
import { Client } from './client.ts'
import { scriptedMarket } from './scripted-market.ts'

const DELISTING = { params: { slug: 'lamps' }, body: {} as never }
const REFUSED = { error: 'Too many', code: 'rate-limited', retryable: true }
const rejecting = (times: number, status: number, headers: Record<string, string> = {}) => {
  let left = times
  return scriptedMarket(() => (left-- > 0 ? { status, headers, body: REFUSED } : { body: { ok: true } }))
}
const clientOf = (origin: string, options = {}) => new Client(`${origin}/api/v1`, options)
const NO_WAIT = { 'retry-after': '0' }

describe('retryable call', () => {
  it('retries up to the configured number of times', async () => {
    const { origin, requests } = await rejecting(2, 503, NO_WAIT)
    expect(await clientOf(origin, { repeats: 2 }).call('getMe')).toMatchObject({ ok: true })
    expect(requests).toHaveLength(3)
  })

  it('does not retry a call by default', async () => {
    const { origin, requests } = await rejecting(9, 503, NO_WAIT)
    await expect(clientOf(origin).call('getMe')).rejects.toMatchObject({ status: 503 })
    expect(requests).toHaveLength(1)
    await expect(clientOf(origin).call('getMe', {}, { repeats: 1 })).rejects.toMatchObject({ status: 503 })
    expect(requests).toHaveLength(3)
  })

  it('waits for Retry-After before a retry', async () => {
    const { origin, requests } = await rejecting(1, 429, { 'retry-after': '1' })
    const began = Date.now()
    await clientOf(origin, { repeats: 1 }).call('getMe')
    expect(Date.now() - began).toBeGreaterThanOrEqual(990)
    expect(requests).toHaveLength(2)
  })

  it('throws if Retry-After exceeds the limit', async () => {
    const { origin, requests } = await rejecting(1, 429, { 'retry-after': '3600' })
    const refused = clientOf(origin, { repeats: 5 }).call('getMe')
    await expect(refused).rejects.toMatchObject({ retryAfterSeconds: 3600 })
    expect(requests).toHaveLength(1)
  })

  it('retries a call after a dropped connection', async () => {
    let calls = 0
    const { origin, requests } = await scriptedMarket(() => ({
      body: calls++ % 2 > 0 ? { ok: true } : undefined,
    }))
    const client = clientOf(origin, { repeats: 1 })
    expect(await client.call('getMe')).toMatchObject({ ok: true })
    expect(requests).toHaveLength(2)
    await expect(client.call('createAuthChallenge', { body: {} as never })).rejects.toThrow(TypeError)
    expect(requests).toHaveLength(3)
  })
})

describe('write', () => {
  it('retries a write after a 429', async () => {
    const { origin, requests } = await rejecting(1, 429, NO_WAIT)
    await clientOf(origin, { repeats: 3 }).call('delistListing', DELISTING)
    expect(requests).toHaveLength(2)
  })

  it.each([500, 503])('reuses the idempotency key after a %d', async (status) => {
    const { origin, requests } = await rejecting(1, status, NO_WAIT)
    const client = clientOf(origin, { repeats: 3 })
    await client.call('delistListing', DELISTING)
    await client.call('delistListing', DELISTING)
    const keys = requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
  })

  it("sends the caller's idempotency key", async () => {
    const { origin, requests } = await rejecting(1, 503, NO_WAIT)
    const key = { idempotencyKey: 'listing-7', repeats: 1 }
    await clientOf(origin).call('delistListing', DELISTING, key)
    await clientOf(origin).call('delistListing', DELISTING, key)
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(3).fill('listing-7'))
  })

  it.each([500, 503])('does not retry a sign-in after a %d', async (status) => {
    const { origin, requests } = await rejecting(1, status, NO_WAIT)
    const written = clientOf(origin, { repeats: 3 }).call('createAuthChallenge', { body: {} as never })
    await expect(written).rejects.toMatchObject({ status })
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined])
  })
})

describe('signal', () => {
  it('aborts a pending call', async () => {
    const stop = new AbortController()
    const { origin } = await scriptedMarket(() => {
      stop.abort(new Error('aborted'))
      return { body: {} }
    })
    await expect(clientOf(origin).call('getMe', {}, { signal: stop.signal })).rejects.toThrow('aborted')
  })

  it('aborts the wait before a retry', async () => {
    const { origin, requests } = await rejecting(1, 503, { 'retry-after': '60' })
    const stop = new AbortController()
    const called = clientOf(origin, { repeats: 1, signal: stop.signal }).call('getMe')
    while (requests.length === 0) await new Promise((done) => setTimeout(done, 10))
    setTimeout(() => stop.abort(new Error('aborted')), 50)
    await expect(called).rejects.toThrow('aborted')
    expect(requests).toHaveLength(1)
  })

  it('aborts only the calls of the derived client', async () => {
    const { origin, requests } = await scriptedMarket(() => ({ body: { ok: true } }))
    const client = clientOf(origin)
    client.token = 'secret'
    client.headers = { 'x-bot': 'b' }
    const bound = client.with({ signal: AbortSignal.abort(new Error('too late')) })
    await expect(bound.call('getMe')).rejects.toThrow('too late')
    expect(requests).toHaveLength(0)
    await bound.with({ signal: null }).call('getMe')
    await client.call('getMe')
    for (const { headers } of requests)
      expect(headers).toMatchObject({ authorization: 'Bearer secret', 'x-bot': 'b' })
  })
})
