import { randomBytes } from 'node:crypto'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { NewInscription } from '@ordbook/bitcoin/envelope.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'

/** Content as it is inscribed, whatever was inscribed, over HTTP alone. */
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

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A request of exactly these headers, its answer as it came: fetch would add some and decode. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${market.server.url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    request.on('error', reject)
    request.end()
  })
}

const IMMUTABLE = 'public, max-age=1209600, immutable'

describe('encoded content', () => {
  it('is sent as inscribed if the client accepts it, otherwise decoded, with Vary', async () => {
    const text = utf8('hello '.repeat(1000))
    for (const [encoding, encoded] of [
      ['br', brotliCompressSync(text)],
      ['gzip', gzipSync(text)],
    ] as const) {
      const [id] = await inscribe({ contentType: 'text/plain', contentEncoding: encoding, body: encoded })
      const plain = await ask(`/content/${id}`)
      expect(plain.body.equals(text)).toBe(true)
      expect(plain.headers['content-encoding']).toBeUndefined()
      const packed = await ask(`/content/${id}`, { 'accept-encoding': `zstd, ${encoding};q=0.5` })
      expect(packed.body.equals(encoded)).toBe(true)
      expect(packed.headers['content-encoding']).toBe(encoding)
      for (const { headers, status } of [plain, packed]) {
        expect(status).toBe(200)
        expect(headers.vary).toBe('accept-encoding')
        expect(headers['cache-control']).toBe(IMMUTABLE)
      }
      // Two forms of it are two things to a cache.
      expect(plain.headers.etag).not.toBe(packed.headers.etag)
      const refused = await ask(`/content/${id}`, { 'accept-encoding': `${encoding};q=0` })
      expect(refused.body.equals(text)).toBe(true)
    }
  })

  it('returns 406 and no-store if the server cannot decode it, or the original bytes if the client accepts the encoding', async () => {
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
      for (let twice = 0; twice < 2; twice++) {
        const refused = await ask(`/content/${id}`)
        expect(refused.status).toBe(406)
        expect(refused.headers['cache-control']).toBe('no-store')
        expect(refused.headers['access-control-allow-origin']).toBe('*')
        expect(Object.keys(JSON.parse(refused.body.toString()))).toEqual([
          'error',
          'code',
          'retryable',
          'docsUrl',
        ])
      }
      const passed = await ask(`/content/${id}`, { 'accept-encoding': encoding! })
      expect([passed.status, passed.headers['content-encoding']]).toEqual([200, encoding])
    }
  })
})

describe('media types', () => {
  it('are as inscribed if a header can contain them, otherwise octet-stream', async () => {
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
      const answer = await ask(`/content/${ids[n]}`)
      expect([answer.status, answer.headers['content-type']]).toEqual([200, sent])
      expect(answer.headers['set-cookie']).toBeUndefined()
      expect(answer.headers['x-content-type-options']).toBe('nosniff')
    }
  })
})

describe('ranges', () => {
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
  ])('%s', async (range, from, to) => {
    const answer = await ask(path, { range })
    expect(answer.status).toBe(206)
    expect(answer.headers['content-range']).toBe(`bytes ${from}-${to - 1}/150000`)
    expect(answer.headers['content-length']).toBe(String(to - from))
    expect(answer.body.equals(body.subarray(from, to))).toBe(true)
  })

  it.each(['bytes=150000-', 'bytes=-0'])('returns 416 with the length for %s', async (range) => {
    const answer = await ask(path, { range })
    expect([answer.status, answer.headers['content-range']]).toEqual([416, 'bytes */150000'])
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it.each(['bytes=5-1', 'lines=0-1', 'bytes=0-1,3-4', 'bytes=a-b', 'bytes=-'])(
    '%s is all of it',
    async (range) => {
      const answer = await ask(path, { range })
      expect([answer.status, answer.body.length]).toEqual([200, 150_000])
      expect(answer.headers['accept-ranges']).toBe('bytes')
    },
  )

  it('are sent only if If-Range matches', async () => {
    const { etag } = (await ask(path)).headers
    const range = 'bytes=0-9'
    expect((await ask(path, { range, 'if-range': etag! })).status).toBe(206)
    expect((await ask(path, { range, 'if-range': '"another"' })).status).toBe(200)
    expect((await ask(path, { range, 'if-range': new Date().toUTCString() })).status).toBe(200)
  })

  it('return 304 for a known ETag, and only headers for HEAD', async () => {
    const whole = await ask(path)
    const known = await ask(path, { 'if-none-match': `"x", ${whole.headers.etag}` })
    expect([known.status, known.body.length, known.headers['cache-control']]).toEqual([304, 0, IMMUTABLE])
    const head = await ask(path, {}, 'HEAD')
    expect([head.status, head.body.length, head.headers['content-length']]).toEqual([200, 0, '150000'])
    expect(head.headers.etag).toBe(whole.headers.etag)
  })
})

describe('content security policy', () => {
  it('allows only the paths that inscriptions may request', async () => {
    const [id] = await inscribe({ contentType: 'text/html', body: utf8('<p>') })
    const policy = String((await ask(`/content/${id}`)).headers['content-security-policy'])
    expect(policy).not.toContain("'self'")
    for (const directive of policy.split('; '))
      for (const source of directive.split(' ').filter((each) => each.startsWith('http')))
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
      const { status, headers } = await ask(path)
      expect([status >= 400 && status < 500, headers.location], path).toEqual([true, undefined])
    }
  })
})

describe('GET /r/sat/:sat/at/:index', () => {
  it('sends no-store for index -1 and immutable for a fixed index', async () => {
    const [id] = await inscribe({ contentType: 'text/plain', body: utf8('on a sat') })
    const { sat } = JSON.parse((await ask(`/r/inscription/${id}`)).body.toString())
    expect(sat).toBeGreaterThan(0)
    for (const tail of ['', '/content'])
      expect((await ask(`/r/sat/${sat}/at/-1${tail}`)).headers['cache-control']).toBe('no-store')
    const first = await ask(`/r/sat/${sat}/at/0/content`)
    expect([first.status, first.headers['cache-control']]).toEqual([200, IMMUTABLE])
    const nothing = await ask(`/r/sat/${sat}/at/7/content`)
    expect([nothing.status, nothing.headers['cache-control']]).toEqual([404, 'no-store'])
  })
})
