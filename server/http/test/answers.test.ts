import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'

/** CORS, compression and caching of responses. */
const market = setUpMarket()
const reader = setUpTrader(market)
let slug: string
beforeAll(async () => {
  slug = (await market.collection(reader.wallet, 20)).slug
})

interface RawResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Sends exactly these headers and returns the raw response: `fetch` adds headers and decodes the body. */
function request(
  path: string,
  {
    headers = {},
    method = 'GET',
    body,
  }: { headers?: Record<string, string>; method?: string; body?: string } = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${market.server.url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

const bearer = () => ({ authorization: `Bearer ${reader.client.token}` })

const OPEN_PATHS = [
  '/keys',
  '/status',
  `/receipts/${'0'.repeat(64)}`,
  '/orders/00000000-0000-4000-8000-000000000000',
  `/eligibility/${'0'.repeat(64)}`,
  '/llms.txt',
  '/docs/listings.md',
  '/openapi.json',
  `/content/${'0'.repeat(64)}i0`,
  '/r/blockheight',
  '/blockhash',
  '/nothing',
]

describe('CORS', () => {
  it.each(OPEN_PATHS)('allows other origins to read %s', async (path) => {
    const response = await request(path, { headers: { origin: 'https://x.example' } })
    expect(response.headers['access-control-allow-origin']).toBe('*')
    const preflight = await request(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://x.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-headers']).toContain('authorization')
  })

  it.each(['/web/v1/session', '/web/v1/collections', '/web/v1/nothing', '/web', '/metrics'])(
    'does not allow other origins to read %s',
    async (path) => {
      for (const method of ['GET', 'OPTIONS']) {
        const response = await request(path, { method, headers: { origin: 'https://x.example' } })
        expect(response.headers['access-control-allow-origin']).toBeUndefined()
      }
    },
  )
})

describe('unsupported methods', () => {
  it.each(['QUERY', 'DELETE', 'PUT', 'PATCH', 'PROPFIND', 'TRACE'])(
    '%s returns 405 with an Allow header',
    async (method) => {
      for (const path of ['/keys', '/api/v1/me', '/api/v1/listings']) {
        const headers = { 'content-type': 'text/strange', 'content-length': '1' }
        const response = await request(path, method === 'TRACE' ? { method } : { method, headers, body: '{' })
        expect([response.status, response.headers.allow], path).toEqual([405, 'GET, HEAD, OPTIONS'])
        expect(response.headers['cache-control']).toBe('no-store')
      }
    },
  )
})

describe('compression', () => {
  it('compresses text with an accepted encoding', async () => {
    const path = `/api/v1/collection/${slug}/inscriptions?limit=20`
    const plain = await request(path, { headers: bearer() })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.body.length).toBeGreaterThan(5000)
    for (const [accepted, encoding, decompress] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
    ] as const) {
      const compressed = await request(path, { headers: { ...bearer(), 'accept-encoding': accepted } })
      expect(compressed.headers['content-encoding']).toBe(encoding)
      expect(compressed.headers.vary).toBe('accept-encoding')
      expect(compressed.body.length).toBeLessThan(plain.body.length / 3)
      expect(decompress(compressed.body).equals(plain.body)).toBe(true)
    }
    for (const document of ['/openapi.json', '/llms.txt', '/docs/offers.md', '/api/v1/openapi.json'])
      expect(
        (await request(document, { headers: { 'accept-encoding': 'br' } })).headers['content-encoding'],
      ).toBe('br')
  })

  it('does not compress session tokens', async () => {
    const { ordinalsAddress, paymentAddress } = reader.wallet
    const post = async (path: string, body: object) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-encoding': 'br' },
        body: JSON.stringify(body),
      })
    const challenge = await post('/api/v1/auth/challenge', { ordinalsAddress, paymentAddress })
    const text = challenge.headers['content-encoding'] ? brotliDecompressSync(challenge.body) : challenge.body
    const { authRequestId, challenges } = JSON.parse(text.toString())
    const verifications = await Promise.all(
      challenges.map(async ({ challengeId, address, message }: any) => ({
        challengeId,
        address,
        signature: await reader.wallet.signMessage(address, message),
      })),
    )
    const session = await post('/api/v1/auth/verify', { authRequestId, verifications })
    expect(session.status).toBe(200)
    expect(session.headers['content-encoding']).toBeUndefined()
    expect(JSON.parse(session.body.toString()).sessionToken).toHaveLength(43)
  })
})

describe('conditional requests', () => {
  it('unchanged public reads return 304', async () => {
    const path = `/api/v1/collection/${slug}/inscriptions?limit=20`
    for (const [url, control] of [
      [path, 'private, no-cache'],
      ['/api/v1/listings', 'private, no-cache'],
      ['/keys', 'private, no-cache'],
      ['/openapi.json', 'no-cache'],
    ] as const) {
      const first = await request(url, { headers: bearer() })
      expect([first.status, first.headers['cache-control']], url).toEqual([200, control])
      const second = await request(url, { headers: { ...bearer(), 'if-none-match': first.headers.etag! } })
      expect([second.status, second.body.length, second.headers.etag]).toEqual([304, 0, first.headers.etag])
      const compressed = await request(url, { headers: { ...bearer(), 'accept-encoding': 'br' } })
      expect(compressed.headers.etag).toBe(first.headers.etag)
    }
  })

  it('HEAD returns the headers of GET', async () => {
    const path = `/api/v1/collection/${slug}/inscriptions?limit=20`
    for (const url of [
      path,
      '/api/v1/listings',
      '/api/v1/sales',
      '/keys',
      '/openapi.json',
      '/docs/listings.md',
    ]) {
      const get = await request(url, { headers: bearer() })
      const head = await request(url, { method: 'HEAD', headers: bearer() })
      expect([head.status, head.body.length, head.headers.etag], url).toEqual([200, 0, get.headers.etag])
      expect(head.headers['content-length']).toBe(String(get.body.length))
      const known = { ...bearer(), 'if-none-match': get.headers.etag! }
      expect((await request(url, { method: 'HEAD', headers: known })).status, url).toBe(304)
    }
  })

  it('reads that are the same for all callers have an ETag', async () => {
    const reads = Object.values<Operation>(operations).filter(({ sameForAll }) => sameForAll)
    expect(reads.map(({ id }) => id)).toContain('listCollectionFloorStats')
    for (const { path, root, query, method } of reads) {
      if (method !== 'GET' || /listingId|txid/.test(path)) continue
      const search = query?.required?.includes('slugs') ? `?slugs=${slug}` : ''
      const url = `${root ? '' : '/api/v1'}${path.replace('{slug}', slug)}${search}`
      const response = await request(url, { headers: bearer() })
      expect([response.status, response.headers['cache-control']], url).toEqual([200, 'private, no-cache'])
      expect(response.headers.etag, url).toMatch(/^W\//)
    }
  })

  it('personal data has no ETag', async () => {
    for (const path of ['/me', '/me/offers', '/trading']) {
      const response = await request(`/api/v1${path}`, { headers: bearer() })
      expect([response.status, response.headers['cache-control'], response.headers.etag]).toEqual([
        200,
        'private, no-store',
        undefined,
      ])
    }
    for (const path of [...OPEN_PATHS, '/api/v1/listings?limit=0', '/api/v1/listings', '/%zz']) {
      const response = await request(path)
      if (response.status < 400) continue
      expect(response.headers['cache-control'], path).toMatch(/^(private, )?no-store$/)
      expect(response.headers.etag).toBeUndefined()
    }
  })
})

describe('pipelining', () => {
  it('returns 429 above 16 pipelined requests', async () => {
    const { port } = new URL(market.server.url)
    const socket = connect(Number(port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.write('GET /r/blockheight HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(200))
    socket.write('GET /r/blockheight HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    await new Promise((done) => socket.once('close', done))
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    expect(statuses).toContain('200')
    expect(statuses).toContain('429')
    expect(text).toContain('At most 16 requests per connection')
  })
})
