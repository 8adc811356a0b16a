import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'

/** Requests that `fetch` cannot send: repeated headers, half-closed connections, CONNECT, broken bodies. */
const market = setUpMarket()
const trader = setUpTrader(market)
let port: number
let token: string
beforeAll(() => {
  port = Number(new URL(market.server.url).port)
  token = `authorization: Bearer ${trader.client.token}\r\n`
})

/** Opens a connection that collects what the server sends. */
function open(): {
  socket: Socket
  received: () => string
  until: (text: RegExp | 'end') => Promise<string>
} {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  let hasEnded = false
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('end', () => {
    hasEnded = true
  })
  socket.on('error', () => {
    hasEnded = true
  })
  return {
    socket,
    received: () => text,
    async until(expected) {
      const isMet = () => (expected === 'end' ? hasEnded : expected.test(text))
      for (let n = 0; n < 1000 && !isMet(); n++) await sleep(10)
      expect(isMet(), `${expected} in ${JSON.stringify(text)}`).toBe(true)
      socket.destroy()
      return text
    },
  }
}

/** Sends text and returns the response. */
async function send(...parts: (string | Buffer)[]): Promise<string> {
  const { socket, until } = open()
  for (const part of parts) socket.write(part)
  return until(/\r\n\r\n[\s\S]*\}$/)
}

const post = (headers: string, body: Buffer | string) => [
  `POST /api/v1/collection/any/listings/delist HTTP/1.1\r\nhost: x\r\n${token}content-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n`,
  body,
]

describe('repeated headers', () => {
  it.each([
    ['host', 'host: y\r\n'],
    ['authorization', 'Authorization: Bearer other\r\n'],
    ['content-type', 'content-type: a/b\r\ncontent-type: c/d\r\n'],
  ])('rejects a second %s header', async (name, headers) => {
    const response = await send(`GET /api/v1/me HTTP/1.1\r\nhost: x\r\n${token}${headers}\r\n`)
    expect(response).toMatch(/^HTTP\/1.1 400 /)
    expect(response).toContain(`more than one ${name} header`)
  })
})

describe('bodies', () => {
  const json = 'content-type: application/json\r\n'

  it('returns 415 with Accept-Encoding for a Content-Encoding', async () => {
    const response = await send(...post(`${json}content-encoding: gzip\r\n`, gzipSync('{}')))
    expect(response).toMatch(/^HTTP\/1.1 415 /)
    expect(response).toMatch(/\r\naccept-encoding: identity\r\n/i)
  })

  it.each<[string, string, Buffer | string, RegExp]>([
    ['gzip', json, gzipSync('{}'), /compressed with gzip/],
    ['a UTF-16 charset', 'content-type: application/json; charset=utf-16\r\n', '{}', /charset=utf-16/],
    ['__proto__', json, '{"__proto__":{}}', /a field __proto__/],
  ])('names %s in the error', async (_, headers, body, text) => {
    const response = await send(...post(headers, body))
    expect(response).toMatch(/^HTTP\/1.1 400 /)
    expect(response).toMatch(text)
  })

  it.each(['content-length: 12000000\r\n', 'transfer-encoding: chunked\r\n'])(
    'returns 413 to a client that sends all of a large body, with %s',
    async (length) => {
      const { socket, until } = open()
      socket.write(`POST /api/v1/auth/challenge HTTP/1.1\r\nhost: x\r\n${json}${length}\r\n`)
      for (let n = 0; n < 12; n++) {
        if (length.startsWith('transfer')) socket.write(`${(1_000_000).toString(16)}\r\n`)
        socket.write('1'.repeat(1_000_000))
        if (length.startsWith('transfer')) socket.write('\r\n')
        await sleep(20)
      }
      if (length.startsWith('transfer')) socket.write('0\r\n\r\n')
      socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
      const text = await until('end')
      expect(text).toMatch(/^HTTP\/1.1 413 [\s\S]*body-too-large[\s\S]*HTTP\/1.1 200 /)
    },
  )
})

describe('chunked bodies', () => {
  const head = `POST /api/v1/auth/challenge HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`

  it.each([
    ['in the packet of the headers', [`${head}ffffffffffffffff\r\n{`]],
    ['in a later packet', [head, 'ffffffffffffffff\r\n{']],
    ['after another chunk', [`${head}1\r\n{\r`, '\nfffff', 'fff\r\n']],
  ])('returns 413 for a large chunk size %s without waiting for its data', async (_, parts) => {
    const { socket, until } = open()
    for (const part of parts) {
      socket.write(part)
      await sleep(100)
    }
    expect(await until('end')).toMatch(/^HTTP\/1.1 413 /)
  })

  it('returns 400 for an invalid chunk size', async () => {
    expect(await send(`${head}zz\r\n{`)).toMatch(/^HTTP\/1.1 400 /)
  })

  it('reads bodies in any number of chunks', async () => {
    const { socket, until } = open()
    const body = `${head}1;a=b\r\n{\r\n5\r\n\n\n\n\n}\r\n0\r\n\r\n`
    for (const byte of body) socket.write(byte)
    socket.write(`${body}${body}`)
    await until(/(is required[\s\S]*){3}$/)
  })
})

describe('half-closed connections', () => {
  it.each([['/api/v1/me'], ['/healthz'], ['/llms.txt'], ['/api/v1/listings']])(
    'GET %s is answered',
    async (path) => {
      const { socket, until } = open()
      socket.end(`GET ${path} HTTP/1.1\r\nhost: x\r\n${token}\r\n`)
      expect(await until('end')).toMatch(/^HTTP\/1.1 200 /)
    },
  )

  it('POST is answered', async () => {
    const { socket, until } = open()
    const [head, body] = post('content-type: application/json\r\n', '{}')
    socket.end(`${head}${body}`)
    expect(await until('end')).toMatch(/^HTTP\/1.1 400 .*walletBindingId is required/s)
  })

  it('GET /events streams', async () => {
    const { socket, until } = open()
    socket.end('GET /events HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(/event: hello[\s\S]*: here[\s\S]*: here/)
  })

  it('a closed stream does not count as a subscriber', async () => {
    for (let n = 0; n < 42; n++) {
      const { socket, until } = open()
      socket.write('GET /events HTTP/1.1\r\nhost: x\r\n\r\n')
      await until(/event: hello/)
      if (n % 18 === 17) await sleep(2500)
    }
  })

  it('a request without its end is rejected', async () => {
    const { socket, until } = open()
    socket.end('POST /api/v1/auth/challenge HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{')
    expect(await until('end')).toMatch(/^HTTP\/1.1 400 /)
  })
})

describe('CONNECT', () => {
  it('returns 405 with an Allow header', async () => {
    const { socket, until } = open()
    socket.write('CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n')
    expect(await until('end')).toMatch(/^HTTP\/1.1 405 [\s\S]*allow: GET[\s\S]*method-not-allowed/)
  })
})

describe('WWW-Authenticate', () => {
  it.each([
    ['/api/v1/me', '', 'Bearer realm="ordbook"'],
    ['/api/v1/me', 'authorization: Bearer x\r\n', 'Bearer realm="ordbook", error="invalid_token"'],
    ['/web/v1/me', '', 'Cookie realm="ordbook"'],
  ])('a 401 of %s names the scheme', async (path, header, scheme) => {
    const response = await send(`GET ${path} HTTP/1.1\r\nhost: x\r\n${header}\r\n`)
    expect(response).toMatch(/^HTTP\/1.1 401 /)
    expect(response).toContain(`\r\nwww-authenticate: ${scheme}\r\n`)
  })
})
