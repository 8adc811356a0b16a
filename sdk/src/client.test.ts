import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { assertAnswerSchema } from './answer-forms.ts'
import { Client } from './client.ts'
import { CheckFailed } from './errors.ts'
import { scriptedMarket } from './scripted-market.ts'

/** A market that sends one byte at a time and never ends its response. */
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const dribble = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(dribble))
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

it('throws TimeoutError after the deadline', async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const client = new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`)
  client.deadlineMilliseconds = 200
  await expect(client.call('getMarketKeys')).rejects.toMatchObject({ name: 'TimeoutError' })
  const bound = client.with({ signal: new AbortController().signal })
  await expect(bound.call('getMarketKeys')).rejects.toMatchObject({ name: 'TimeoutError' })
})

describe('call', () => {
  it('encodes path and query parameters', async () => {
    const { origin, requests } = await scriptedMarket(() => ({ body: {} }))
    const client = new Client(`${origin}/api/v1/`)
    await client.call('listListings', { query: { collectionSlug: 'a&b=c d', sort: 'price' } })
    await client.call('getStatus')
    client.token = 'secret'
    const body = { walletBindingId: 'w', listings: [] }
    await client.call('delistListing', { params: { slug: 'a/../b?c' }, body })
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v1/listings?collectionSlug=a%26b%3Dc+d&sort=price',
      'GET /status',
      'POST /api/v1/collection/a%2F..%2Fb%3Fc/listings/delist',
    ])
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      undefined,
      'Bearer secret',
    ])
    expect(requests[2]!.body).toEqual(body)
  })

  it("adds the API's path to a market's address", async () => {
    const { origin, requests } = await scriptedMarket(() => ({ body: {} }))
    const client = new Client(`${origin}/`)
    await client.call('listListings', { query: {} })
    expect(requests[0]!.path).toBe('/api/v1/listings')
    expect(client.host).toBe(new URL(origin).host)
  })

  it('throws ApiError for an error response', async () => {
    const { origin } = await scriptedMarket(() => ({
      status: 429,
      headers: { 'retry-after': '7' },
      body: { error: 'Too many', code: 'rate-limited' },
    }))
    const refused = new Client(`${origin}/api/v1`).call('getMe')
    await expect(refused).rejects.toMatchObject({ status: 429, code: 'rate-limited', retryAfterSeconds: 7 })
  })

  it.each([301, 302, 307, 308])('does not follow a redirect with status %d', async (status) => {
    const other = await scriptedMarket(() => ({ body: {} }))
    const location = `${other.origin}/api/v1/me`
    const { origin } = await scriptedMarket(() => ({ status, headers: { location }, body: '' }))
    const client = new Client(origin, { repeats: 2 })
    const body = { walletBindingId: 'w', listings: [] }
    const redirected = client.call('delistListing', { params: { slug: 'lamps' }, body })
    const message = `the market redirects to ${location}`
    await expect(redirected).rejects.toMatchObject({ name: 'ApiError', status, message, retryable: false })
    expect(other.requests).toEqual([])
  })

  it.each(['<!doctype html><p>Sign in to this network', '', 'null', '7', '"text"'])(
    'throws CheckFailed for the response %j',
    async (body) => {
      const { origin } = await scriptedMarket(() => ({ body }))
      await expect(new Client(`${origin}/api/v1`).call('getMe')).rejects.toThrow(CheckFailed)
    },
  )
})

it('iterates over all pages of a collection', async () => {
  const { origin, requests } = await scriptedMarket(({ path }) => {
    const page = Number(new URL(path, 'http://market.example').searchParams.get('cursor') ?? 0)
    return {
      body: {
        items: [page * 2, page * 2 + 1].map((sat) => ({ sat })),
        pagination: { nextCursor: page < 2 ? `${page + 1}` : null },
      },
    }
  })
  const found: unknown[] = []
  for await (const item of new Client(`${origin}/api/v1`).inscriptions('lamps', { limit: 2 }))
    found.push(item.sat)
  expect(found).toEqual([0, 1, 2, 3, 4, 5])
  expect(requests.map(({ path }) => path.split('?')[1])).toEqual([
    'limit=2',
    'limit=2&cursor=1',
    'limit=2&cursor=2',
  ])
})

it('names the field that violates the contract', async () => {
  const { origin } = await scriptedMarket(() => ({ body: { cosignKey: 7 } }))
  const client = new Client(`${origin}/api/v1`)
  client.checkAnswer = assertAnswerSchema
  for (const caller of [client, client.with({ repeats: 1 })])
    await expect(caller.call('getMarketKeys')).rejects.toThrow(
      /response to getMarketKeys does not match the contract.*\/cosignKey/,
    )
})
