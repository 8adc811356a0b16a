import { randomBytes } from 'node:crypto'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { NewInscription } from '@ordbook/bitcoin/envelope.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'

/** Serves inscribed content over HTTP, including invalid content. */
const market = setUpMarket()
const owner = setUpTrader(market)

const utf8 = (text: string) => new TextEncoder().encode(text)

async function inscribe(...inscriptions: NewInscription[]): Promise<string[]> {
  const ids = await market.regtest.inscribe(
    inscriptions.map((inscription) => ({
      inscription,
      owner: owner.wallet.ordinalsScript,
      postageSats: 546,
    })),
  )
  await market.server.sync()
  return ids
}

interface RawResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Sends exactly these headers and returns the raw response: `fetch` adds headers and decodes the body. */
function request(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${market.server.url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

const IMMUTABLE = 'public, max-age=1209600, immutable'

describe('GET /content/:id with a content encoding', () => {
  it('decodes content unless the client accepts its encoding', async () => {
    const text = utf8('hello '.repeat(1000))
    for (const [encoding, encoded] of [
      ['br', brotliCompressSync(text)],
      ['gzip', gzipSync(text)],
    ] as const) {
      const [id] = await inscribe({ contentType: 'text/plain', contentEncoding: encoding, body: encoded })
      const plain = await request(`/content/${id}`)
      expect(plain.body.equals(text)).toBe(true)
      expect(plain.headers['content-encoding']).toBeUndefined()
      const encodedResponse = await request(`/content/${id}`, {
        'accept-encoding': `zstd, ${encoding};q=0.5`,
      })
      expect(encodedResponse.body.equals(encoded)).toBe(true)
      expect(encodedResponse.headers['content-encoding']).toBe(encoding)
      for (const { headers, status } of [plain, encodedResponse]) {
        expect(status).toBe(200)
        expect(headers.vary).toBe('accept-encoding')
        expect(headers['cache-control']).toBe(IMMUTABLE)
      }
      // Caches must not confuse the two representations.
      expect(plain.headers.etag).not.toBe(encodedResponse.headers.etag)
      const rejected = await request(`/content/${id}`, { 'accept-encoding': `${encoding};q=0` })
      expect(rejected.body.equals(text)).toBe(true)
    }
  })

  it('returns 406 if it cannot decode the content', async () => {
    const bomb = brotliCompressSync(Buffer.alloc(5_000_000))
    const [broken, tooLarge, unknown, upper] = await inscribe(
      { contentType: 'text/plain', contentEncoding: 'br', body: utf8('not brotli at all') },
      { contentType: 'text/plain', contentEncoding: 'br', body: bomb },
      { contentType: 'text/plain', contentEncoding: 'zstd', body: utf8('zstd?') },
      { contentType: 'text/plain', contentEncoding: 'BR', body: utf8('BR?') },
    )
    for (const [id, encoding] of [
      [broken, 'br'],
      [tooLarge, 'br'],
      [unknown, 'zstd'],
      [upper, 'BR'],
    ]) {
      for (let attempt = 0; attempt < 2; attempt++) {
        const rejected = await request(`/content/${id}`)
        expect(rejected.status).toBe(406)
        expect(rejected.headers['cache-control']).toBe('no-store')
        expect(rejected.headers['access-control-allow-origin']).toBe('*')
        expect(Object.keys(JSON.parse(rejected.body.toString()))).toEqual([
          'error',
          'code',
          'retryable',
          'docsUrl',
        ])
      }
      const accepted = await request(`/content/${id}`, { 'accept-encoding': encoding! })
      expect([accepted.status, accepted.headers['content-encoding']]).toEqual([200, encoding])
    }
  })
})

describe('GET /content/:id of an encoded inscription without content', () => {
  it('returns 406 unless the client accepts the encoding, like ord', async () => {
    const [brotli, zstd] = await inscribe(
      { contentType: 'text/plain', contentEncoding: 'br', body: utf8('br?') },
      { contentType: 'text/plain', contentEncoding: 'zstd', body: utf8('zstd?') },
    )
    await market.sql`update inscription_rows set body = null, content_length = null
      where inscription_id in (${brotli!}, ${zstd!})`
    for (const [id, encoding] of [
      [brotli, 'br'],
      [zstd, 'zstd'],
    ]) {
      expect((await request(`/content/${id}`)).status).toBe(406)
      expect((await request(`/content/${id}`, { 'accept-encoding': encoding! })).status).toBe(404)
    }
  })
})

describe('content in transit to a client', () => {
  it('is limited by its decoded size', async () => {
    const [id] = await inscribe({
      contentType: 'text/plain',
      contentEncoding: 'br',
      body: brotliCompressSync(Buffer.alloc(4_000_000)),
    })
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await request(`/content/${id}`)).status),
    )
    // 32 MB are eight responses. The others wait for the same decoded content.
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(8)
    expect((await request(`/content/${id}`)).status).toBe(200)
  })
})

describe('Content-Type of /content/:id', () => {
  it('returns the inscribed media type if it is valid', async () => {
    const types = {
      'text/plain;': 'text/plain;',
      foo: 'foo',
      'text/html;charset="€"': Buffer.from('text/html;charset="€"', 'utf8').toString('latin1'),
      'text/html;charset="\u0001"': 'application/octet-stream',
      'text/html\r\nset-cookie: a=b': 'application/octet-stream',
      'a\u0085b\u2028': Buffer.from('a\u0085b\u2028', 'utf8').toString('latin1'),
    }
    const ids = await inscribe(...Object.keys(types).map((contentType) => ({ contentType, body: utf8('x') })))
    for (const [n, sent] of Object.values(types).entries()) {
      const response = await request(`/content/${ids[n]}`)
      expect([response.status, response.headers['content-type']]).toEqual([200, sent])
      expect(response.headers['set-cookie']).toBeUndefined()
      expect(response.headers['x-content-type-options']).toBe('nosniff')
    }
  })
})

describe('Range requests to /content/:id', () => {
  const body = randomBytes(150_000)
  let path: string
  beforeAll(async () => {
    const [id] = await inscribe({ contentType: 'video/mp4', body })
    path = `/content/${id}`
  })

  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=100000-', 100_000, 150_000],
    ['bytes=-5', 149_995, 150_000],
    ['bytes=149999-999999', 149_999, 150_000],
    ['bytes=0-149999', 0, 150_000],
  ])('returns 206 with the requested bytes for %s', async (range, from, to) => {
    const response = await request(path, { range })
    expect(response.status).toBe(206)
    expect(response.headers['content-range']).toBe(`bytes ${from}-${to - 1}/150000`)
    expect(response.headers['content-length']).toBe(String(to - from))
    expect(response.body.equals(body.subarray(from, to))).toBe(true)
  })

  it.each(['bytes=150000-', 'bytes=-0'])('returns 416 for %s', async (range) => {
    const response = await request(path, { range })
    expect([response.status, response.headers['content-range']]).toEqual([416, 'bytes */150000'])
    expect(response.headers['cache-control']).toBe('no-store')
  })

  it.each(['bytes=5-1', 'lines=0-1', 'bytes=0-1,3-4', 'bytes=a-b', 'bytes=-'])(
    'returns the whole content for %s',
    async (range) => {
      const response = await request(path, { range })
      expect([response.status, response.body.length]).toEqual([200, 150_000])
      expect(response.headers['accept-ranges']).toBe('bytes')
    },
  )

  it('returns a range only if If-Range matches', async () => {
    const { etag } = (await request(path)).headers
    const range = 'bytes=0-9'
    expect((await request(path, { range, 'if-range': etag! })).status).toBe(206)
    expect((await request(path, { range, 'if-range': '"another"' })).status).toBe(200)
    expect((await request(path, { range, 'if-range': new Date().toUTCString() })).status).toBe(200)
  })

  it('returns 304 if If-None-Match matches', async () => {
    const whole = await request(path)
    const cached = await request(path, { 'if-none-match': `"x", ${whole.headers.etag}` })
    expect([cached.status, cached.body.length, cached.headers['cache-control']]).toEqual([304, 0, IMMUTABLE])
    const head = await request(path, {}, 'HEAD')
    expect([head.status, head.body.length, head.headers['content-length']]).toEqual([200, 0, '150000'])
    expect(head.headers.etag).toBe(whole.headers.etag)
  })
})

describe('Content-Security-Policy of /content/:id', () => {
  it('allows only content and recursive endpoints', async () => {
    const [id] = await inscribe({ contentType: 'text/html', body: utf8('<p>') })
    const policy = String((await request(`/content/${id}`)).headers['content-security-policy'])
    expect(policy).not.toContain("'self'")
    for (const directive of policy.split('; '))
      for (const source of directive.split(' ').filter((source) => source.startsWith('http')))
        expect(new URL(source).pathname).toMatch(/^\/(content\/|r\/|blockhash\/?|blockheight|blocktime)$/)
  })

  it('allows no path that redirects', async () => {
    for (const path of [
      '/content',
      '/content/',
      '/r',
      '/r/',
      '//r/x',
      '/content/..%2fapi%2fv1%2fme',
      '/r/%2e%2e%2fstatus',
      '/blockhash/',
      '/r/inscription/',
      '/content//x',
    ]) {
      const { status, headers } = await request(path)
      expect([status >= 400 && status < 500, headers.location], path).toEqual([true, undefined])
    }
  })
})

describe('GET /r/sat/:sat/at/:index', () => {
  it('sends no-store for index -1', async () => {
    const [id] = await inscribe({ contentType: 'text/plain', body: utf8('on a sat') })
    const { sat } = JSON.parse((await request(`/r/inscription/${id}`)).body.toString())
    expect(sat).toBeGreaterThan(0)
    for (const tail of ['', '/content'])
      expect((await request(`/r/sat/${sat}/at/-1${tail}`)).headers['cache-control']).toBe('no-store')
    const first = await request(`/r/sat/${sat}/at/0/content`)
    expect([first.status, first.headers['cache-control']]).toEqual([200, IMMUTABLE])
    const missing = await request(`/r/sat/${sat}/at/7/content`)
    expect([missing.status, missing.headers['cache-control']]).toEqual([404, 'no-store'])
  })
})
