import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@ordbook/app/server.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { ConfigError } from '@ordbook/db/settings/config.ts'
import { describe, expect, it } from 'vitest'
import { freshWallet, setUpMarket, startMarket, testConfig } from '../../../e2e/support/market.ts'
import { signInAtStorefront, visit } from '../../../e2e/support/storefront.ts'

const PUBLIC = 'https://market.example'
const port = await freePort()
setUpMarket({ PUBLIC_URL: PUBLIC, PORT: String(port) })
const address = `http://127.0.0.1:${port}`

describe('market on https', () => {
  it('responses have a Strict-Transport-Security header', async () => {
    for (const path of ['/status', '/api/v1/me', '/nowhere', '/openapi.json'])
      expect((await visit(address, path)).headers.get('strict-transport-security')).toBe('max-age=31536000')
  })

  it('the session cookie has the __Host- prefix', async () => {
    const { opened, cookie } = await signInAtStorefront(address, freshWallet(), { origin: PUBLIC })
    expect(opened.headers.get('set-cookie')).toMatch(
      /^__Host-ordbook_session=[\w-]{43}; Path=\/; .*Secure; SameSite=Strict$/,
    )
    const token = cookie.split('=')[1]
    const statusWith = async (sent: string) =>
      (await visit(address, '/web/v1/session', { cookie: sent })).status
    expect(await statusWith(cookie)).toBe(200)
    expect(await statusWith(`ordbook_session=${token}`)).toBe(401)
    expect(await statusWith(`${cookie}; __Host-ordbook_session=planted`)).toBe(401)
  })

  it('metrics require a token', async () => {
    const closed = await visit(address, '/metrics')
    expect(closed.status).toBe(403)
    expect(closed.body.error).toMatch(/Set METRICS_TOKEN/)
  })
})

describe('stopping server', () => {
  it('a stopping server finishes open requests', async () => {
    const ending = await startMarket({ DRAIN_SECONDS: '3' })
    const { port } = new URL(ending.server.url)
    const connections = [connect(Number(port)), connect(Number(port)), connect(Number(port))] as const
    try {
      for (const socket of connections) {
        const { head } = await askOn(socket, 'GET /status')
        expect(head).toMatch(/^HTTP\/1.1 200 /)
        expect(head).not.toMatch(/^connection: close/im)
      }
      const closed = ending.server.close()
      for (const [n, request] of ['GET /readyz', 'POST /api/v1/challenges', 'GET /content/x'].entries()) {
        const { head, ended } = await askOn(connections[n]!, request)
        expect(head).toMatch(n === 0 ? /^HTTP\/1.1 503 / : /^HTTP\/1.1 4\d\d /)
        expect(head).toMatch(/^connection: close/im)
        await ended
      }
      const response = await fetch(`${ending.server.url}/status`)
      expect([response.status, response.headers.get('connection')]).toEqual([200, 'close'])
      await closed
    } finally {
      for (const socket of connections) socket.destroy()
      await ending.stop()
    }
  }, 60_000)
})

describe('metrics without a token', () => {
  it('metrics are not served through a proxy', async () => {
    const local = await startMarket()
    try {
      const statusWith = (headers: Record<string, string>) =>
        fetch(`${local.server.url}/metrics`, { headers }).then((answer) => answer.status)
      expect(await statusWith({})).toBe(200)
      expect(await statusWith({ 'x-forwarded-for': '203.0.113.9' })).toBe(403)
      expect(await statusWith({ forwarded: 'for=203.0.113.9' })).toBe(403)
    } finally {
      await local.stop()
    }
  })
})

describe('slow client', () => {
  /** Sends an incomplete request. Returns the response. */
  const send = (text: string) =>
    new Promise<string>((done, fail) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text))
      let answer = ''
      socket.on('data', (bytes) => {
        answer += bytes
      })
      socket.once('close', () => done(answer))
      socket.once('error', fail)
    })

  it('an incomplete request returns 408', async () => {
    const begun = 'POST /api/v1/auth/challenge HTTP/1.1\r\nhost: market.example\r\n'
    const body = 'content-type: application/json\r\ncontent-length: 100\r\n\r\n{'
    const answers = await Promise.all([send(''), send('GET /status HT'), send(begun), send(begun + body)])
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /)
      expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toEqual({
        error: 'The request was not received in time. Send it again.',
        code: 'request-timeout',
        retryable: true,
        docsUrl: `${PUBLIC}/docs/errors#request-timeout`,
      })
    }
  })
})

describe('port in use', () => {
  it('the server does not start on a used port', async () => {
    const other = createServer()
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
    const usedPort = (other.address() as { port: number }).port
    const folder = mkdtempSync(join(tmpdir(), 'ordbook-port-'))
    const refusal = `PORT: port ${usedPort} on 127.0.0.1 is in use. Set PORT to a free port, or to 0 for any free port.`
    try {
      const config = {
        ...testConfig({ PORT: String(usedPort), DATA_DIR: folder }),
        databaseUrl: 'postgres://127.0.0.1:1/none',
        bitcoinRpcUrl: 'http://127.0.0.1:1/',
      }
      await expect(startServer(config)).rejects.toThrow(new ConfigError(refusal))
      const child = spawn(process.execPath, [join(import.meta.dirname, '../../../scripts/start.ts')], {
        env: { ...process.env, PORT: String(usedPort), DATA_DIR: join(folder, 'data') },
      })
      let stderr = ''
      child.stderr.on('data', (text) => {
        stderr += text
      })
      expect(await new Promise((done) => child.once('exit', done))).toBe(1)
      expect(stderr.trim().split('\n').at(-1)!.trim()).toBe(refusal)
      expect(existsSync(join(folder, 'data', 'postgres'))).toBe(false)
    } finally {
      other.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

/**
 * Sends a request without a body. Returns the response head, and a promise that resolves when the connection
 * ends.
 */
async function askOn(socket: Socket, request: string): Promise<{ head: string; ended: Promise<unknown> }> {
  const ended = new Promise((done) => socket.once('end', done))
  socket.write(`${request} HTTP/1.1\r\nhost: market\r\ncontent-length: 0\r\n\r\n`)
  let text = ''
  while (!/\r\n\r\n.*[}>]/s.test(text)) {
    const part = await new Promise<Buffer | null>((done) => {
      socket.once('data', done)
      socket.once('close', () => done(null))
    })
    if (part === null) throw new Error(`the connection ended in the middle of a response: ${text}`)
    text += part
  }
  return { head: text.split('\r\n\r\n', 1)[0]!, ended }
}
