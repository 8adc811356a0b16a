import { hash } from 'node:crypto'
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
class Forms {
  private readonly compressed = new Map<Encoding, Promise<Buffer>>()
  readonly body: Buffer
  private tag: string | undefined

  constructor(body: Buffer) {
    this.body = body
  }

  /** Weak, because all encodings of the body share it. */
  get etag(): string {
    this.tag ??= `W/"${hash('sha256', this.body, 'base64url').slice(0, 22)}"`
    return this.tag
  }

  /** Compresses the body once. A failure is not cached. */
  in(encoding: Encoding): Promise<Buffer> {
    const known = this.compressed.get(encoding)
    if (known) return known
    const compressed = COMPRESSORS[encoding](this.body)
    this.compressed.set(encoding, compressed)
    compressed.catch(() => this.compressed.delete(encoding))
    return compressed
  }
}

const formsByBody = new WeakMap<Buffer, Forms>()

function formsOf(body: Buffer): Forms {
  let forms = formsByBody.get(body)
  if (!forms) {
    forms = new Forms(body)
    formsByBody.set(body, forms)
  }
  return forms
}

/**
 * Compresses text responses and adds an ETag, except to `no-store` responses. Routes that return secrets must
 * be `isRaw`, because the compressed length leaks content (BREACH).
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    // Calls `done`, or returns a promise if it has to compress.
    const isFinished = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isFinished || request.routeOptions.config.isRaw || reply.hasHeader('content-encoding'))
      return done(null, payload)
    const forms = formsOf(typeof payload === 'string' ? Buffer.from(payload) : payload)
    if (
      reply.statusCode === 200 &&
      !String(reply.getHeader('cache-control') ?? 'no-store').includes('no-store')
    ) {
      reply.header('etag', forms.etag)
      if (isKnown(request.headers['if-none-match'], forms.etag)) {
        reply.code(304).removeHeader('content-type')
        // For HEAD, Fastify removes the body, and fails if it is null.
        return done(null, request.method === 'HEAD' ? payload : null)
      }
    }
    if (forms.body.length < MIN_BYTES || !TEXT.test(String(reply.getHeader('content-type') ?? '')))
      return done(null, payload)
    reply.header('vary', 'accept-encoding')
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (!encoding) return done(null, payload)
    clearTimeout(reply.timeout)
    return forms.in(encoding).then((compressed) => {
      reply.header('content-encoding', encoding)
      return compressed
    })
  })
}

const encodingFor = (accepted: string | string[] | undefined): Encoding | undefined =>
  accepted === undefined
    ? undefined
    : (Object.keys(COMPRESSORS) as Encoding[]).find((name) => takesEncoding(String(accepted), name))

/** Returns whether an If-None-Match header matches an ETag, by weak comparison (RFC 9110, 13.1.2). */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return header.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
}
