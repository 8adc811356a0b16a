import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Exchange, type Lie, stepsOf } from './exchange.ts'
import { READS } from './lies/reads.ts'
import { applyLie } from './lies.ts'

/** A lie that was sent. It counts as believed if the client submits signatures afterwards. */
interface Telling {
  operation: string
  lie: string
  family: string
  believed: boolean
}

export interface LyingMarket {
  url: string
  choose: (exchange: Exchange) => Lie | null
  /** Caches responses, so that a thousand lies need only one request to the market. */
  replay: boolean
  told: Telling[]
  /** The last honest response with signing steps or, with `reads`, the last read. */
  last: Exchange | null
  /** Called for each client request. `body` is null if it is not JSON. */
  watch: (method: string, path: string, body: unknown) => void
  stop(): Promise<void>
}

const MAX_BYTES = 100_000_000
const ID = /^([0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}(i\d+)?)$/

/** Returns the operation name: the method and the path without `/api/v1` or `/web/v1`, with `{}` for ids and slugs. */
export const operationOf = (method: string, path: string): string =>
  `${method} ${path
    .replace(/^\/(api|web)\/v1/, '')
    .split('/')
    .map((part, i, parts) => (ID.test(part) || parts[i - 1] === 'collection' ? '{}' : part))
    .join('/')}`

const isSigned = (request: any) => stepsOf(request).length > 0 || typeof request?.transaction === 'string'

const submitOf = (path: string) => [path.replace(/preflight$/, 'submit'), path.replace(/\/preflight$/, '')]

/**
 * Starts a proxy in front of an honest market. Changes responses with signing steps and, with `reads`, the reads before them. After a lie,
 * records the submit and rejects it itself. `control` handles the proxy's own paths and returns false for others.
 */
export async function startLyingMarket(options: {
  target: () => string
  port?: number
  reads?: boolean
  control?: (request: IncomingMessage, response: ServerResponse) => boolean
}): Promise<LyingMarket> {
  const responses = new Map<string, string>()
  /** Lies not yet believed, by submit path. */
  const pending = new Map<string, Telling>()
  /** A lie about a read. Any signed request counts as believing it. */
  let pendingRead: Telling | undefined
  const server: Server = createServer((incoming, outgoing) => {
    if (options.control?.(incoming, outgoing)) return
    pass(incoming, outgoing).catch((error) => {
      if (!outgoing.headersSent) outgoing.writeHead(502, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify({ error: `the market behind this proxy does not answer: ${error}` }))
    })
  })
  server.keepAliveTimeout = 0

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const target = options.target()
    const method = incoming.method ?? 'GET'
    const path = new URL(incoming.url!, 'http://proxy').pathname
    const body = await read(incoming)
    const request = jsonOf(body)
    market.watch(method, path, request)
    const telling = method === 'POST' ? (pending.get(path) ?? (isSigned(request) && pendingRead)) : undefined
    if (telling) {
      telling.believed = true
      return void answer(
        outgoing,
        409,
        '{"error":"This was a lie, and your client signed it. Do not submit it."}',
      )
    }
    const key = `${method} ${incoming.url} ${incoming.headers.cookie ?? incoming.headers.authorization} ${body}`
    const isRead = options.reads === true && READS.includes(operationOf(method, path))
    const recorded = market.replay ? responses.get(key) : undefined
    if (recorded !== undefined) return lieAbout(outgoing, method, path, request, recorded)
    const headers = new Headers()
    for (const [name, value] of Object.entries(incoming.headers))
      if (!['host', 'connection', 'accept-encoding', 'content-length', 'transfer-encoding'].includes(name))
        headers.set(name, String(value))
    if (incoming.headers.origin === market.url) headers.set('origin', target)
    const response = await fetch(new URL(incoming.url!, target), {
      method,
      headers,
      redirect: 'manual',
      ...(body.length > 0 ? { body } : {}),
    })
    const passed: Record<string, string | string[]> = {}
    for (const [name, value] of response.headers)
      if (!['connection', 'content-encoding', 'content-length', 'transfer-encoding'].includes(name))
        passed[name] = value
    const cookies = response.headers.getSetCookie()
    if (cookies.length > 0) passed['set-cookie'] = cookies
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    if (response.status !== 200 || !isJson || (method !== 'POST' && !isRead)) {
      outgoing.writeHead(response.status, passed)
      if (!response.body) return void outgoing.end()
      incoming.once('close', () => outgoing.destroyed && response.body!.cancel().catch(() => {}))
      for await (const chunk of response.body) if (!outgoing.write(chunk)) await drained(outgoing)
      return void outgoing.end()
    }
    const text = await response.text()
    if (isRead) return lieAbout(outgoing, method, path, request, text)
    if (stepsOf(jsonOf(Buffer.from(text))).length === 0) return void answer(outgoing, 200, text, passed)
    if (market.replay) responses.set(key, text)
    return lieAbout(outgoing, method, path, request, text)
  }

  function lieAbout(
    outgoing: ServerResponse,
    method: string,
    path: string,
    request: unknown,
    honest: string,
  ): void {
    const exchange: Exchange = {
      operation: operationOf(method, path),
      request,
      answer: JSON.parse(honest),
    }
    market.last = exchange
    const lie = market.choose(exchange)
    const text = lie && applyLie(lie, exchange)
    const isRead = method !== 'POST'
    for (const submit of submitOf(path)) pending.delete(submit)
    if (isRead) pendingRead = undefined
    if (!lie || text === null) {
      answer(outgoing, 200, honest)
      return
    }
    const telling = { operation: exchange.operation, lie: lie.name, family: lie.family, believed: false }
    market.told.push(telling)
    if (isRead) pendingRead = telling
    else for (const submit of submitOf(path)) pending.set(submit, telling)
    answer(outgoing, 200, text)
  }

  await new Promise<void>((done) => server.listen(options.port ?? 0, '127.0.0.1', done))
  const market: LyingMarket = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    choose: () => null,
    replay: false,
    told: [],
    last: null,
    watch: () => {},
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
  return market
}

function answer(
  outgoing: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string | string[]> = { 'content-type': 'application/json; charset=utf-8' },
): void {
  outgoing.writeHead(status, headers)
  outgoing.end(text)
}

const drained = (outgoing: ServerResponse) =>
  new Promise<void>((done) => {
    outgoing.once('drain', done)
    outgoing.once('close', done)
  })

async function read(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_BYTES) throw new Error('the request is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}
