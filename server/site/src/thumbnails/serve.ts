import { invalid, missing } from '@ordbook/db/process/errors.ts'
import { IMMUTABLE } from '@ordbook/indexer/content/serve.ts'
import type { Context } from '@ordbook/market/context.ts'
import type { FastifyInstance } from 'fastify'
import { essenceOf } from './kinds.ts'
import { type FoundThumbnail, findThumbnail } from './queries.ts'
import { tileOf } from './tile.ts'

/** The sizes of thumbnails, in pixels: thumbnails, cards, and pictures of a page's width. */
export const SIZES = [96, 384, 1024] as const

/** A thumbnail may come any moment; a tile in its place is asked for again after so many seconds. */
const TILE_SECONDS = 30
/** A picture of at most so many bytes is shown as it was inscribed until its thumbnail is there. */
const SMALL_BYTES = 64_000

/**
 * `GET /preview/:id/:size`: the thumbnail of an inscription's content, a WebP that fits a square of that size. An inscription's content never changes, so its
 * still may be kept for good. Until it is rendered, a small picture is answered as it was inscribed. For all other content, and where there can
 * be no thumbnail, the answer is a drawing of the kind of content.
 */
export function registerPreviews(app: FastifyInstance, { reads }: Pick<Context, 'reads'>): void {
  app.get<{ Params: { id: string; size: string } }>('/preview/:id/:size', async ({ params }, reply) => {
    const size = SIZES.find((each) => String(each) === params.size)
    if (!size || !/^[0-9a-f]{64}i(0|[1-9]\d{0,9})$/.test(params.id))
      throw invalid(
        'request-invalid',
        `Ask for /preview/<inscription id>/<size>, the size one of ${SIZES.join(', ')}`,
      )
    const found = await findThumbnail(reads, params.id, size)
    if (!found) throw missing('content-missing', 'Inscription not found')
    reply.headers({
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': found.body ? IMMUTABLE : `public, max-age=${TILE_SECONDS}`,
    })
    if (isShownItself(found)) return reply.redirect(`/content/${params.id}`)
    return found.body
      ? reply.type('image/webp').send(Buffer.from(found.body))
      : reply.type('image/svg+xml; charset=utf-8').send(tileOf(found.contentType, size))
  })
}

/** Whether to serve the content itself while its thumbnail is being rendered: pages show it as an image, so no scripts run. */
const isShownItself = ({ body, state, contentType, contentBytes }: FoundThumbnail) =>
  !body &&
  state !== 'failed' &&
  contentBytes !== null &&
  contentBytes <= SMALL_BYTES &&
  essenceOf(contentType).startsWith('image/')
