import { chmodSync, rmSync } from 'node:fs'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { invalid } from '@ordbook/db/process/errors.ts'
import { allowOrigins } from '@ordbook/http/limits/cors.ts'
import { faultHandler } from '@ordbook/http/operations/fault-handler.ts'
import { contentSender, registerContent } from '@ordbook/indexer/content/serve.ts'
import { registerRecursive } from '@ordbook/indexer/recursion/recursive.ts'
import type { Context } from '@ordbook/market/context.ts'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { type Static, Type } from 'typebox'
import type { CardRenderers } from './card-renderers.ts'
import { KINDS } from './kinds.ts'
import { claimPreview, failPreview, findThumbnailBytes, insertThumbnails, renewClaim } from './queries.ts'
import { MAX_ATTEMPTS, RETRY_MINUTES } from './queue.ts'
import { SIZES } from './serve.ts'

/** Time until another renderer can claim an item, unless its renderer renews the claim. */
const CLAIM_MILLISECONDS = 120_000
const MINUTE = 60_000
/** Interval for summing thumbnail sizes. */
const COUNT_MILLISECONDS = 30_000
const UNBOUNDED_CLIENT = { contentMaxPerClient: Infinity, contentMaxMegabytesPerClient: Infinity }
const BODY_LIMIT = 2 ** 20
const MAX_REASON = 300
/** Maximum bytes by thumbnail size. */
const MAX_BYTES: Readonly<Record<number, number>> = { 96: 8_000, 384: 40_000, 1024: 240_000 }
/** 4 by 4 pixels with 3 bytes each. */
const PLACEHOLDER_BYTES = 48

const Claims = Type.Object({ kinds: Type.Array(Type.Enum([...KINDS]), { minItems: 1 }) })
const Thumbnails = Type.Object({
  thumbnails: Type.Array(Type.Object({ size: Type.Integer(), webp: Type.String() }), {
    minItems: SIZES.length,
    maxItems: SIZES.length,
  }),
  placeholder: Type.Union([Type.Null(), Type.String()]),
})
const Failure = Type.Object({ reason: Type.String({ minLength: 1 }), isFinal: Type.Boolean() })
const KEY = { params: Type.Object({ key: Type.String({ pattern: '^[0-9a-f]{64}$' }) }) }

type Body<Schema extends Type.TSchema> = { Body: Static<Schema>; Params: { key: string } }

/**
 * Listens on the socket of the preview renderers. A renderer claims queued items, reads their content, uploads thumbnails, and offers to
 * draw cards. It needs no network or database.
 */
export async function listenForRenderers(
  context: Context,
  cards: CardRenderers,
): Promise<FastifyInstance | null> {
  const path = context.config.previewSocket
  if (!path) return null
  const app = Fastify({
    loggerInstance: context.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 300 },
  })
  app.setErrorHandler(faultHandler(context))
  // Content has an opaque origin, so even its recursive requests are cross-origin.
  await allowOrigins(app)
  // No per-client limits: an item with many requests must not block the renderer's other items.
  const sender = contentSender({ ...context, config: { ...context.config, ...UNBOUNDED_CLIENT } })
  registerContent(app, sender)
  registerRecursive(app, context, sender)
  registerQueue(app, context)
  cards.listen(app)
  rmSync(path, { force: true })
  await app.listen({ path })
  chmodSync(path, 0o660)
  return app
}

function registerQueue(app: FastifyInstance, context: Context): void {
  const { sql, clock, publicUrl } = context
  const hasRoom = storageCheckOf(context)
  const claimEnd = () => new Date(clock().getTime() + CLAIM_MILLISECONDS)
  app.post<Body<typeof Claims>>('/claims', { schema: { body: Claims } }, async ({ body }, reply) => {
    const claim = (await hasRoom())
      ? await inTransaction(sql, (tx) =>
          claimPreview(tx, {
            kinds: body.kinds,
            mostAttempts: MAX_ATTEMPTS,
            now: clock(),
            dueAt: claimEnd(),
          }),
        )
      : null
    if (!claim) return reply.code(204).send()
    const { contentKey, ...rest } = claim
    return { key: Buffer.from(contentKey).toString('hex'), origin: new URL(publicUrl).origin, ...rest }
  })
  app.post<{ Params: { key: string } }>('/renewals/:key', { schema: KEY }, async ({ params }, reply) => {
    await renewClaim(sql, Buffer.from(params.key, 'hex'), claimEnd())
    return reply.code(204).send()
  })
  app.post<Body<typeof Thumbnails>>(
    '/thumbnails/:key',
    { schema: { ...KEY, body: Thumbnails } },
    async ({ params, body }, reply) => {
      const thumbnails = body.thumbnails.map(({ size, webp }) => ({
        size,
        body: Buffer.from(webp, 'base64'),
      }))
      if (
        !SIZES.every((size) =>
          thumbnails.some((thumbnail) => thumbnail.size === size && isThumbnail(thumbnail)),
        )
      )
        throw invalid(
          'request-invalid',
          `Expected one WebP of at most the allowed size for each of ${SIZES.join(', ')}.`,
        )
      const placeholder = body.placeholder === null ? null : Buffer.from(body.placeholder, 'base64')
      if (placeholder && placeholder.length !== PLACEHOLDER_BYTES)
        throw invalid('request-invalid', `Expected a placeholder of ${PLACEHOLDER_BYTES} bytes.`)
      const key = Buffer.from(params.key, 'hex')
      await inTransaction(sql, (tx) => insertThumbnails(tx, key, { thumbnails, placeholder, now: clock() }))
      return reply.code(204).send()
    },
  )
  app.post<Body<typeof Failure>>(
    '/failures/:key',
    { schema: { ...KEY, body: Failure } },
    async ({ params, body }, reply) => {
      const now = clock().getTime()
      const failure = body.reason.replaceAll('\0', '').toWellFormed().slice(0, MAX_REASON)
      await failPreview(sql, Buffer.from(params.key, 'hex'), {
        failure,
        retryAt: body.isFinal ? null : RETRY_MINUTES.map((minutes) => new Date(now + minutes * MINUTE)),
      })
      return reply.code(204).send()
    },
  )
}

const isThumbnail = ({ size, body }: { size: number; body: Buffer }) =>
  body.length <= MAX_BYTES[size]! &&
  body.toString('latin1', 0, 4) === 'RIFF' &&
  body.toString('latin1', 8, 12) === 'WEBP'

/** Returns whether thumbnail storage is left, updated at an interval. */
function storageCheckOf({ reads, config }: Context): () => Promise<boolean> {
  let hasStorage = true
  let next = 0
  return async () => {
    if (performance.now() >= next) {
      next = performance.now() + COUNT_MILLISECONDS
      hasStorage = (await findThumbnailBytes(reads)) < config.previewMegabytes * 2 ** 20
    }
    return hasStorage
  }
}
