import { invalid, missing } from '@ordbook/db/process/errors.ts'
import { IMMUTABLE } from '@ordbook/indexer/content/serve.ts'
import type { Context } from '@ordbook/market/context.ts'
import type { FastifyInstance } from 'fastify'
import { essenceOf } from './kinds.ts'
import { type FoundThumbnail, findThumbnail } from './queries.ts'
import { tileOf } from './tile.ts'

/** In pixels: list rows, cards and page-wide images. */
export const SIZES = [96, 384, 1024] as const

/** Cache duration of a tile. The thumbnail may be rendered at any time. */
const TILE_SECONDS = 30
/** Maximum bytes of an image that is served as the original until its thumbnail is rendered. */
const SMALL_BYTES = 64_000

/**
 * Registers `GET /preview/:id/:size`: a WebP thumbnail that fits a square of that size. Content never changes, so clients can cache it
 * forever. Until it is rendered, serves small images as the original, and an icon for other content.
 */
export function registerPreviews(
  app: FastifyInstance,
  { reads, clock }: Pick<Context, 'reads' | 'clock'>,
): void {
  app.get<{ Params: { id: string; size: string } }>('/preview/:id/:size', async ({ params }, reply) => {
    const size = SIZES.find((each) => String(each) === params.size)
    if (!size || !/^[0-9a-f]{64}i(0|[1-9]\d{0,9})$/.test(params.id))
      throw invalid(
        'request-invalid',
        `Request /preview/<inscription id>/<size>. The size must be one of ${SIZES.join(', ')}.`,
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
      : reply.type('image/svg+xml; charset=utf-8').send(tileOf(found, size, clock()))
  })
}

/** Whether to serve the original until the thumbnail is rendered. Pages show it as an image, so scripts do not run. */
const isShownItself = ({ body, state, contentType, contentBytes }: FoundThumbnail) =>
  !body &&
  state !== 'failed' &&
  state !== 'impossible' &&
  contentBytes !== null &&
  contentBytes <= SMALL_BYTES &&
  essenceOf(contentType).startsWith('image/')
