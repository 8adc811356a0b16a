import { brotliDecompressSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { findContent } from '../chain/queries.ts'
import type { Context } from '../context.ts'
import { missing } from '../errors.ts'

/** Largest content served, in bytes; no block holds more. */
const MOST_BYTES = 4_000_000

/**
 * `GET /content/:id`: an inscription's content, which is hostile. Its sandbox has an opaque origin, no cookies, no storage, no
 * network but other content and the recursive endpoints of this server, no forms and no way to navigate its surroundings.
 * With CONTENT_URL pages load it from another origin, too, so that nothing of theirs is even near.
 */
export function registerContent(app: FastifyInstance, context: Context): void {
  app.get<{ Params: { id: string } }>('/content/:id', ({ params }, reply) =>
    sendContent(context, reply, params.id),
  )
}

/** The policy of content. Sources are named, as an opaque origin is not everywhere the same as 'self'. */
const policyOf = (origins: string) =>
  [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob: data: ${origins}`,
    `style-src 'unsafe-inline' data: ${origins}`,
    `img-src data: blob: ${origins}`,
    `media-src data: blob: ${origins}`,
    `font-src data: ${origins}`,
    `connect-src data: blob: ${origins}`,
    'worker-src blob: data:',
    `frame-src data: blob: ${origins}`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ')

/** Sends the content of an inscription, or of what it delegates to. Throws missing. */
export async function sendContent(
  { reads, ord, publicUrl, config }: Context,
  reply: FastifyReply,
  id: string,
  options: { delegated: boolean } = { delegated: true },
): Promise<FastifyReply> {
  const known = /^[a-f0-9]{64}i[0-9]+$/.test(id) ? await findContent(reads, id, options.delegated) : null
  // Of what ord told of, the content stays there.
  const content =
    known && !known.body && ord
      ? await ord.content(id, MOST_BYTES).then((found) => found && { ...found, contentEncoding: null })
      : known
  if (!content?.body) throw missing('No inscription of that id has content here')
  const origins = [
    ...new Set([publicUrl, config.contentUrl ?? publicUrl].map((each) => new URL(each).origin)),
  ]
  reply.headers({
    'content-security-policy': policyOf(["'self'", ...origins].join(' ')),
    'permissions-policy':
      'accelerometer=(), camera=(), clipboard-read=(), clipboard-write=(), display-capture=(), fullscreen=(), geolocation=(), gyroscope=(), microphone=(), midi=(), payment=(), usb=()',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=1209600, immutable',
    'content-type': safeType(content.contentType),
  })
  if (content.contentEncoding === 'br')
    return reply.send(brotliDecompressSync(content.body, { maxOutputLength: MOST_BYTES }))
  if (content.contentEncoding === 'gzip') reply.header('content-encoding', 'gzip')
  return reply.send(Buffer.from(content.body))
}

/** A media type that is safe as a header value; anything else is shown as bytes. */
function safeType(contentType: string | null): string {
  return contentType &&
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w-]+=("[^"\r\n]*"|[\w.+-]+))*$/.test(contentType)
    ? contentType
    : 'application/octet-stream'
}
