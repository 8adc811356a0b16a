import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { takesEncoding } from './encoding.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Disables compression and the generated ETag. */
    isRaw?: boolean
  }
}

/** Compressing smaller responses would not save a packet. */
const MIN_BYTES = 1024
const TEXT = /^(text\/|application\/(json|manifest\+json|javascript)|image\/svg)/

const brotli = promisify(brotliCompress)
/**
 * In order of preference. For our JSON, brotli level 4 compresses as well as level 9, with a third of the CPU
 * time of level 5.
 */
const COMPRESSORS = {
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
type Encoding = keyof typeof COMPRESSORS

/** ETag and compressed forms of a body, cached with the body. */
interface Forms {
  etag: string
  compressed: Map<Encoding, Promise<Buffer>>
}

const formsByBody = new WeakMap<Buffer, Forms>()

/**
 * Compresses text responses and adds an ETag, except to `no-store` responses. Routes that return secrets must
 * be `isRaw`, because the compressed length leaks content (BREACH).
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isFinished = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isFinished || request.routeOptions.config.isRaw || reply.hasHeader('content-encoding'))
      return payload
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload
    const forms = formsByBody.get(body) ?? { etag: tagOf(body), compressed: new Map() }
    formsByBody.set(body, forms)
    if (
      reply.statusCode === 200 &&
      !String(reply.getHeader('cache-control') ?? 'no-store').includes('no-store')
    ) {
      reply.header('etag', forms.etag)
      if (isKnown(request.headers['if-none-match'], forms.etag)) {
        reply.code(304).removeHeader('content-type')
        // For HEAD, Fastify removes the body, and fails if it is null.
        return request.method === 'HEAD' ? payload : null
      }
    }
    if (body.length < MIN_BYTES || !TEXT.test(String(reply.getHeader('content-type') ?? ''))) return payload
    reply.header('vary', 'accept-encoding')
    const accepted = String(request.headers['accept-encoding'] ?? '')
    const encoding = (Object.keys(COMPRESSORS) as Encoding[]).find((name) => takesEncoding(accepted, name))
    if (!encoding) return payload
    const compressed = forms.compressed.get(encoding) ?? COMPRESSORS[encoding](body)
    forms.compressed.set(encoding, compressed)
    reply.header('content-encoding', encoding)
    return compressed
  })
}

/** Weak, because all encodings of the body share it. */
const tagOf = (body: Buffer) => `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`

/** Returns whether an If-None-Match header matches an ETag, by weak comparison (RFC 9110, 13.1.2). */
export function isKnown(header: string | undefined, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return (header ?? '').split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
}
