import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { takesEncoding } from './encoding.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer is sent as it is: not compressed, and without a tag of its own. */
    isRaw?: boolean
  }
}

/** Smaller answers, in bytes, are sent as they are: compressed they would take as many packets. */
const LEAST_BYTES = 1024
const TEXT = /^(text\/|application\/(json|manifest\+json|javascript)|image\/svg)/

const brotli = promisify(brotliCompress)
/** Best first. At level 4 our JSON is as small as at any up to 9, for a third of the CPU of 5; the window is that of what we send. */
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

/** The other forms of finished bytes, each made once, off the event loop, and kept as long as the bytes are. */
interface Forms {
  etag: string
  packed: Map<Encoding, Promise<Buffer>>
}

const kept = new WeakMap<Buffer, Forms>()

/**
 * Compresses texts by what the client takes, and gives every answer that may be kept a tag, by which it is not sent twice.
 * Answers under `no-store` get no tag. A route whose answers hold secrets is `isRaw` (BREACH: the length of a compressed answer
 * leaks its content).
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
    if (body.length < LEAST_BYTES || !TEXT.test(String(reply.getHeader('content-type') ?? ''))) return payload
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

/** Weak, since it stands for every form of the bytes. */
const tagOf = (body: Buffer) => `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`

/** Whether an If-None-Match header names a tag, compared weakly (RFC 9110, 13.1.2). */
export function isKnown(header: string | undefined, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return (header ?? '').split(',').some((each) => each.trim() === '*' || opaque(each) === opaque(etag))
}
