import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { takesEncoding } from './encoding.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Sends the response unchanged: no compression and no generated ETag. */
    isRaw?: boolean
  }
}

/** Smaller responses, in bytes, are not compressed: they would need as many packets. */
const MIN_BYTES = 1024
const TEXT = /^(text\/|application\/(json|manifest\+json|javascript)|image\/svg)/

const brotli = promisify(brotliCompress)
/**
 * In order of preference. At brotli level 4 our JSON is as small as at any level up to 9, for a third of the CPU of level 5. The window
 * covers our response sizes.
 */
const PACKERS = {
  br: (body: Buffer) =>
    brotli(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_LGWIN]: 19,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: promisify(gzip) as (body: Buffer) => Promise<Buffer>,
}
type Encoding = keyof typeof PACKERS

/** ETag and compressed forms of a body. Each form is made once, off the event loop, and is kept as long as the body. */
interface Forms {
  etag: string
  packed: Map<Encoding, Promise<Buffer>>
}

const kept = new WeakMap<Buffer, Forms>()

/**
 * Compresses text responses, and adds an ETag to cacheable ones, so that they are not sent twice. `no-store` responses get no ETag. Routes
 * that return secrets are `isRaw`, because the length of a compressed response leaks its content (BREACH).
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isFinished = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isFinished || request.routeOptions.config.isRaw || reply.hasHeader('content-encoding'))
      return payload
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload
    const forms = kept.get(body) ?? { etag: tagOf(body), packed: new Map() }
    kept.set(body, forms)
    if (
      reply.statusCode === 200 &&
      !String(reply.getHeader('cache-control') ?? 'no-store').includes('no-store')
    ) {
      reply.header('etag', forms.etag)
      if (isKnown(request.headers['if-none-match'], forms.etag)) {
        reply.code(304).removeHeader('content-type')
        return null
      }
    }
    if (body.length < MIN_BYTES || !TEXT.test(String(reply.getHeader('content-type') ?? ''))) return payload
    reply.header('vary', 'accept-encoding')
    const accepted = String(request.headers['accept-encoding'] ?? '')
    const encoding = (Object.keys(PACKERS) as Encoding[]).find((each) => takesEncoding(accepted, each))
    if (!encoding) return payload
    const packed = forms.packed.get(encoding) ?? PACKERS[encoding](body)
    forms.packed.set(encoding, packed)
    reply.header('content-encoding', encoding)
    return packed
  })
}

/** Weak, because it identifies every encoding of the body. */
const tagOf = (body: Buffer) => `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`

/** Whether an If-None-Match header matches an ETag, by weak comparison (RFC 9110, 13.1.2). */
export function isKnown(header: string | undefined, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return (header ?? '').split(',').some((each) => each.trim() === '*' || opaque(each) === opaque(etag))
}
