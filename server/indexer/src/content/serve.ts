import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { Fault, invalid, missing, unacceptable } from '@ordbook/db/process/errors.ts'
import { clientKeyOf } from '@ordbook/http/limits/client-key.ts'
import { isKnown } from '@ordbook/http/limits/compress.ts'
import { canDecode, takesEncoding } from '@ordbook/http/limits/encoding.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ChainContext } from '../context.ts'
import { Flights } from './in-flight.ts'
import { type ContentFacts, findContentFacts } from './queries.ts'
import { type Range, readRange } from './range.ts'
import { NO_CONTENT, sourceAtOrd, sourceOf } from './read.ts'
import { ContentStore } from './store.ts'
import { WriteScheduler } from './write-scheduler.ts'

const SLICE_BYTES = 64 * 1024
/** Slower clients are disconnected after the grace period. */
const MIN_BYTES_PER_SECOND = 8 * 1024
const GRACE_MILLISECONDS = 30_000
export const IMMUTABLE = 'public, max-age=1209600, immutable'

export interface ContentOptions {
  /** Serve the delegate's content, if any. */
  delegated: boolean
  /** The content of the URL never changes, so it can be cached. */
  immutable: boolean
}

export interface ContentSender {
  /** Sends the content of an inscription. Throws `invalid`, `missing`, `unacceptable`, `throttled` and `unavailable`. */
  send: (
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
    options: ContentOptions,
  ) => Promise<FastifyReply>
  /** Sends large JSON within the same memory limit. */
  sendLarge: (request: FastifyRequest, reply: FastifyReply, source: LargeSource) => Promise<FastifyReply>
}

export interface LargeSource {
  /** Identifies a permanent result; null if it may change. */
  key: string | null
  lane: string
  mostBytes: number
  read: () => Promise<unknown>
  /** `cache-control`, by default `no-store`. */
  cache?: string
}

/**
 * Registers `GET /content/:id`. A CSP sandbox blocks cookies, storage, forms, top-level navigation and network access, except to content
 * and recursive endpoints. With CONTENT_URL, content also has a separate origin.
 */
export function registerContent(app: FastifyInstance, { send }: ContentSender): void {
  app.route<{ Params: { id: string } }>({
    method: ['GET', 'HEAD'],
    url: '/content/:id',
    config: { isRaw: true },
    handler: (request, reply) =>
      send(request, reply, request.params.id, { delegated: true, immutable: true }),
  })
}

/** CSP sources for content. A trailing slash matches a prefix. */
const OPEN_PATHS = ['/content/', '/r/', '/blockhash', '/blockhash/', '/blockheight', '/blocktime']

/** Returns the CSP for content. Its paths must never redirect, because browsers ignore a source's path after a redirect. */
function policyOf({ publicUrl, config }: ChainContext): string {
  const origins = new Set([publicUrl, config.contentUrl ?? publicUrl].map((url) => new URL(url).origin))
  const sources = [...origins].flatMap((origin) => OPEN_PATHS.map((path) => `${origin}${path}`)).join(' ')
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob: data: ${sources}`,
    `style-src 'unsafe-inline' data: ${sources}`,
    `img-src data: blob: ${sources}`,
    `media-src data: blob: ${sources}`,
    `font-src data: ${sources}`,
    `connect-src data: blob: ${sources}`,
    'worker-src blob: data:',
    `frame-src data: blob: ${sources}`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ')
}

const PERMISSIONS =
  'accelerometer=(), camera=(), clipboard-read=(), clipboard-write=(), display-capture=(), fullscreen=(), geolocation=(), gyroscope=(), microphone=(), midi=(), payment=(), usb=()'

export function contentSender(context: ChainContext): ContentSender {
  const { config } = context
  const store = new ContentStore(config.contentCacheMegabytes * 2 ** 20)
  const flights = new Flights({
    answers: config.contentMaxPerClient,
    bytes: config.contentMaxMegabytesPerClient * 2 ** 20,
  })
  const policy = policyOf(context)

  const send: ContentSender['send'] = async (request, reply, id, { delegated, immutable }) => {
    if (!/^[0-9a-f]{64}i(0|[1-9]\d{0,9})$/.test(id))
      throw invalid(
        'request-invalid',
        `${JSON.stringify(id.slice(0, 80))} is not an inscription id. An inscription id is <64 hex digits>i<number>.`,
      )
    const { facts, source, encoding } = await locate(context, request, id, delegated)
    const etag = `"${[facts.contentId, facts.blockHash?.slice(-16), encoding?.isDecoded ? 'decoded' : encoding?.sent].filter(Boolean).join('.')}"`
    const headers: Record<string, string> = {
      'content-security-policy': policy,
      'permissions-policy': PERMISSIONS,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': immutable ? IMMUTABLE : 'no-store',
      'content-type': headerType(facts.contentType),
      'accept-ranges': 'bytes',
      etag,
      ...(encoding ? { vary: 'accept-encoding' } : {}),
      ...(encoding?.sent ? { 'content-encoding': encoding.sent } : {}),
    }
    if (isKnown(request.headers['if-none-match'], etag)) {
      delete headers['content-type']
      return reply.code(304).headers(headers).send()
    }
    // HEAD needs only the length, unless the content is decoded.
    const length = request.method === 'HEAD' && !encoding?.isDecoded ? facts.length : null
    const flight = flights.begin(clientKeyOf(request), length === null ? (facts.length ?? 0) : 0)
    onceClosed(reply, flight.end)
    if (length !== null) return sendPart(request, reply, headers, length, null)
    const content = await store.hold(`${facts.contentId} ${facts.blockHash} ${encoding?.isDecoded}`, source)
    onceClosed(reply, content.release)
    flight.resize(content.bytes?.length ?? 0)
    headers['content-type'] = headerType(facts.contentType ?? content.type ?? null)
    if (!content.bytes)
      throw unacceptable(
        'encoding-not-acceptable',
        `The content cannot be decoded as ${facts.contentEncoding} within 4 MB. Send Accept-Encoding: ${facts.contentEncoding} to get it as inscribed.`,
      )
    if (reply.sent) return reply
    return sendPart(request, reply, headers, content.bytes.length, content.bytes)
  }
  const sendLarge: ContentSender['sendLarge'] = async (
    request,
    reply,
    { key, lane, mostBytes, read, cache },
  ) => {
    const flight = flights.begin(clientKeyOf(request), 0)
    onceClosed(reply, flight.end)
    const content = await store.hold(key ?? randomUUID(), {
      lane,
      mostBytes,
      make: async () => ({ bytes: Buffer.from(JSON.stringify(await read())) }),
    })
    onceClosed(reply, content.release)
    flight.resize(content.bytes!.length)
    if (reply.sent) return reply
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': cache ?? 'no-store',
      'x-content-type-options': 'nosniff',
    }
    return sendPart(request, reply, headers, content.bytes!.length, content.bytes)
  }
  return { send, sendLarge }
}

/** Finds content in the index, or at `ord` if the index began there. Throws `missing` and `unacceptable`. */
async function locate(context: ChainContext, request: FastifyRequest, id: string, delegated: boolean) {
  const { reads, ord, base } = context
  const facts = await findContentFacts(reads, id, delegated)
  if (facts?.bodyAt) {
    const encoding = encodingFor(facts, request)
    const source = sourceOf({ reads, ord }, facts, encoding?.isDecoded ?? false)
    if (source) return { facts, encoding, source }
  } else if (ord && base !== null) {
    const contentId = facts?.contentId ?? id
    const path = facts || !delegated ? `r/undelegated-content/${contentId}` : `content/${id}`
    const unknown = {
      contentId: path,
      blockHash: null,
      contentType: null,
      length: null,
      contentEncoding: null,
    }
    return { facts: unknown, encoding: null, source: sourceAtOrd(ord, path) }
  }
  throw missing('content-missing', NO_CONTENT)
}

/** Chooses the encoding; null if the content is not encoded. Throws `unacceptable`, also without content, as ord does. */
function encodingFor(
  { contentEncoding, length }: ContentFacts,
  { headers }: FastifyRequest,
): { sent: string | null; isDecoded: boolean } | null {
  if (contentEncoding === null) return null
  const accepted = headers['accept-encoding']
  const sent = headerText(contentEncoding)
  // Like ord, ignore an encoding that is not a valid header.
  if (sent === null) return null
  if (takesEncoding(String(accepted ?? ''), sent)) return { sent, isDecoded: false }
  if (canDecode(contentEncoding) && length !== null) return { sent: null, isDecoded: true }
  throw unacceptable(
    'encoding-not-acceptable',
    `The content is encoded as ${JSON.stringify(contentEncoding.slice(0, 40))}. Send this encoding in Accept-Encoding to get the content as inscribed.`,
  )
}

/** Sends the content or a range of it. Sends only headers if `bytes` is null. */
function sendPart(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Record<string, string>,
  length: number,
  bytes: Buffer | null,
): FastifyReply {
  const { range: rangeHeader, 'if-range': condition } = request.headers
  const range =
    request.method !== 'GET' ||
    !headers['accept-ranges'] ||
    (condition !== undefined && condition !== headers.etag)
      ? 'all'
      : readRange(rangeHeader, length)
  if (range === 'none')
    return reply
      .header('content-range', `bytes */${length}`)
      .send(
        new Fault('range-not-satisfiable', `The requested range is outside the content of ${length} bytes.`),
      )
  const { first, last }: Range = range === 'all' ? { first: 0, last: length - 1 } : range
  reply.headers({ ...headers, 'content-length': String(last - first + 1) })
  if (range !== 'all') reply.code(206).header('content-range', `bytes ${first}-${last}/${length}`)
  if (!bytes || request.method === 'HEAD') return reply.send(null)
  disconnectWhenSlow(request, reply, last - first + 1)
  // Send a stream. For a buffer, Fastify replaces media types that it cannot parse.
  return reply.send(Readable.from(slices(bytes.subarray(first, last + 1)), { objectMode: false }))
}

const turns = new WriteScheduler()

async function* slices(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (bytes.length > SLICE_BYTES) await turns.next()
    yield bytes.subarray(at, at + SLICE_BYTES)
  }
}

function disconnectWhenSlow(request: FastifyRequest, reply: FastifyReply, bytes: number): void {
  const timer = setTimeout(
    () => request.raw.socket.destroy(),
    GRACE_MILLISECONDS + (bytes / MIN_BYTES_PER_SECOND) * 1000,
  )
  onceClosed(reply, () => clearTimeout(timer))
}

function onceClosed(reply: FastifyReply, work: () => void): void {
  if (reply.raw.destroyed || reply.raw.closed) work()
  else reply.raw.once('close', work)
}

/** Encodes a header value in UTF-8. Returns null if it has control characters. */
function headerText(text: string): string | null {
  const bytes = Buffer.from(text, 'utf8')
  return bytes.some((byte) => (byte < 0x20 && byte !== 0x09) || byte === 0x7f)
    ? null
    : bytes.toString('latin1')
}

/** Returns the inscribed media type, like ord; `application/octet-stream` if it is missing or not a valid header. */
function headerType(contentType: string | null): string {
  const sent = contentType && headerText(contentType)
  return sent && /[^ \t]/.test(sent) ? sent : 'application/octet-stream'
}
