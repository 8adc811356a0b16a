import { describe, expect, it } from 'vitest'
import { Client } from './client.ts'
import { scriptedMarket } from './scripted-market.ts'

const DELISTING = { params: { slug: 'lamps' }, body: {} as never }
const REFUSED = { error: 'Too many', code: 'rate-limited', retryable: true }
/** A market that refuses so often, and then answers. */
const refusing = (times: number, status: number, headers: Record<string, string> = {}) => {
  let left = times
  return scriptedMarket(() => (left-- > 0 ? { status, headers, body: REFUSED } : { body: { ok: true } }))
}
const clientOf = (origin: string, options = {}) => new Client(`${origin}/api/v1`, options)
const AT_ONCE = { 'retry-after': '0' }

describe('retryable call', () => {
  it('is retried up to the configured number', async () => {
    const { origin, asked } = await refusing(2, 503, AT_ONCE)
    expect(await clientOf(origin, { repeats: 2 }).call('getMe')).toMatchObject({ ok: true })
    expect(asked).toHaveLength(3)
  })

  it('is not retried by default', async () => {
    const { origin, asked } = await refusing(9, 503, AT_ONCE)
    await expect(clientOf(origin).call('getMe')).rejects.toMatchObject({ status: 503 })
    expect(asked).toHaveLength(1)
    await expect(clientOf(origin).call('getMe', {}, { repeats: 1 })).rejects.toMatchObject({ status: 503 })
    expect(asked).toHaveLength(3)
  })

  it('waits for Retry-After', async () => {
    const { origin, asked } = await refusing(1, 429, { 'retry-after': '1' })
    const began = Date.now()
    await clientOf(origin, { repeats: 1 }).call('getMe')
    expect(Date.now() - began).toBeGreaterThanOrEqual(990)
    expect(asked).toHaveLength(2)
  })

  it('fails if Retry-After is minutes', async () => {
    const { origin, asked } = await refusing(1, 429, { 'retry-after': '3600' })
    const refused = clientOf(origin, { repeats: 5 }).call('getMe')
    await expect(refused).rejects.toMatchObject({ retryAfterSeconds: 3600 })
    expect(asked).toHaveLength(1)
  })

  it('retries after a dropped connection, except for sign-in', async () => {
    let calls = 0
    const { origin, asked } = await scriptedMarket(() => ({
      body: calls++ % 2 > 0 ? { ok: true } : undefined,
    }))
    const client = clientOf(origin, { repeats: 1 })
    expect(await client.call('getMe')).toMatchObject({ ok: true })
    expect(asked).toHaveLength(2)
    await expect(client.call('createAuthChallenge', { body: {} as never })).rejects.toThrow(TypeError)
    expect(asked).toHaveLength(3)
  })
})

describe('write', () => {
  it('is retried after a 429', async () => {
    const { origin, asked } = await refusing(1, 429, AT_ONCE)
    await clientOf(origin, { repeats: 3 }).call('delistListing', DELISTING)
    expect(asked).toHaveLength(2)
  })

  it.each([500, 503])(
    'is retried after a %d with the same key, and each call has a different key',
    async (status) => {
      const { origin, asked } = await refusing(1, status, AT_ONCE)
      const client = clientOf(origin, { repeats: 3 })
      await client.call('delistListing', DELISTING)
      await client.call('delistListing', DELISTING)
      const keys = asked.map(({ headers }) => headers['idempotency-key'])
      expect(keys).toHaveLength(3)
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
      expect(keys[1]).toBe(keys[0])
      expect(keys[2]).not.toBe(keys[0])
    },
  )

  it("uses the caller's key, for a retry after a restart", async () => {
    const { origin, asked } = await refusing(1, 503, AT_ONCE)
    const key = { idempotencyKey: 'listing-7', repeats: 1 }
    await clientOf(origin).call('delistListing', DELISTING, key)
    await clientOf(origin).call('delistListing', DELISTING, key)
    expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(3).fill('listing-7'))
  })

  it.each([500, 503])('is not retried after a %d and has no key if it is a sign-in', async (status) => {
    const { origin, asked } = await refusing(1, status, AT_ONCE)
    const written = clientOf(origin, { repeats: 3 }).call('createAuthChallenge', { body: {} as never })
    await expect(written).rejects.toMatchObject({ status })
    expect(asked.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined])
  })
})

describe('signal', () => {
  it('aborts a running call', async () => {
    const stop = new AbortController()
    const { origin } = await scriptedMarket(() => {
      stop.abort(new Error('the user left'))
      return { body: {} }
    })
    await expect(clientOf(origin).call('getMe', {}, { signal: stop.signal })).rejects.toThrow('the user left')
  })

  it('aborts a wait', async () => {
    const { origin, asked } = await refusing(1, 503, { 'retry-after': '60' })
    const stop = new AbortController()
    const called = clientOf(origin, { repeats: 1, signal: stop.signal }).call('getMe')
    while (asked.length === 0) await new Promise((done) => setTimeout(done, 10))
    setTimeout(() => stop.abort(new Error('the user left')), 50)
    await expect(called).rejects.toThrow('the user left')
    expect(asked).toHaveLength(1)
  })

  it('aborts the calls of a derived client, and not those of its original', async () => {
    const { origin, asked } = await scriptedMarket(() => ({ body: { ok: true } }))
    const client = clientOf(origin)
    client.token = 'secret'
    client.headers = { 'x-bot': 'b' }
    const bound = client.with({ signal: AbortSignal.abort(new Error('too late')) })
    await expect(bound.call('getMe')).rejects.toThrow('too late')
    expect(asked).toHaveLength(0)
    await bound.with({ signal: null }).call('getMe')
    await client.call('getMe')
    for (const { headers } of asked)
      expect(headers).toMatchObject({ authorization: 'Bearer secret', 'x-bot': 'b' })
  })
})
