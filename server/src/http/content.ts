import { brotliDecompressSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { Ord } from '../chain/ord.ts'
import { findContent } from '../chain/queries.ts'
import type { Sql } from '../db/connect.ts'
import { missing } from '../errors.ts'

/** Largest content served, in bytes; no block holds more. */
const MOST_BYTES = 4_000_000

/**
 * `GET /content/:id`: an inscription's content, which is hostile. Its sandbox has an opaque origin, no cookies, no
 * network but other content of this server, no forms and no way to navigate its surroundings.
 */
export function registerContent(app: FastifyInstance, { sql, ord }: { sql: Sql; ord: Ord | null }): void {
  app.get<{ Params: { id: string } }>('/content/:id', async (request, reply) => {
    const { id } = request.params
    const known = /^[a-f0-9]{64}i[0-9]+$/.test(id) ? await findContent(sql, id) : null
    // Of what ord told of, the content stays there.
    const content =
      known && !known.body && ord
        ? await ord.content(id, MOST_BYTES).then((found) => found && { ...found, contentEncoding: null })
        : known
    if (!content?.body) throw missing('No inscription of that id has content here')
    reply.headers({
      'content-security-policy':
        "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data: 'self'; style-src 'unsafe-inline' data: 'self'; img-src data: blob: 'self'; media-src data: blob: 'self'; font-src data: 'self'; connect-src 'self'; frame-ancestors *",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=1209600, immutable',
      'content-type': safeType(content.contentType),
    })
    if (content.contentEncoding === 'br')
      return reply.send(brotliDecompressSync(content.body, { maxOutputLength: MOST_BYTES }))
    if (content.contentEncoding === 'gzip') reply.header('content-encoding', 'gzip')
    return reply.send(Buffer.from(content.body))
  })
}

/** A media type that is safe as a header value; anything else is shown as bytes. */
function safeType(contentType: string | null): string {
  return contentType &&
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w-]+=("[^"\r\n]*"|[\w.+-]+))*$/.test(contentType)
    ? contentType
    : 'application/octet-stream'
}
