import { invalid } from '@ordbook/db/process/errors.ts'
import type { Context } from '@ordbook/market/context.ts'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { claimCard, failCard, keepCard } from './card-queries.ts'

/** The time that a renderer has for a card before another may take it, in milliseconds. */
const CLAIM_MILLISECONDS = 30_000
const MOST_ATTEMPTS = 2
/** Cards that renderers draw in a minute, for all clients together. */
const MOST_A_MINUTE = 30
const MOST_BYTES = 200_000

const Drawn = Type.Object({ jpeg: Type.String() })
const KEY = { params: Type.Object({ key: Type.String({ pattern: '^[0-9a-f]{64}$' }) }) }

/** The part of the renderers' door at which they take cards to draw, and leave them. */
export function registerCardQueue(app: FastifyInstance, { sql, clock }: Context): void {
  const allowance = allowanceOf(MOST_A_MINUTE)
  app.post('/cards/claims', async (_request, reply) => {
    const now = clock()
    const dueAt = new Date(now.getTime() + CLAIM_MILLISECONDS)
    const claim = allowance.isLeft()
      ? await claimCard(sql, { mostAttempts: MOST_ATTEMPTS, now, dueAt })
      : null
    if (!claim) return reply.code(204).send()
    allowance.take()
    return {
      key: Buffer.from(claim.imageKey).toString('hex'),
      still: Buffer.from(claim.still).toString('base64'),
      texts: claim.texts,
    }
  })
  app.post<{ Body: Static<typeof Drawn>; Params: { key: string } }>(
    '/cards/:key',
    { schema: { ...KEY, body: Drawn } },
    async ({ params, body }, reply) => {
      const jpeg = Buffer.from(body.jpeg, 'base64')
      if (jpeg.length > MOST_BYTES || jpeg.toString('hex', 0, 3) !== 'ffd8ff')
        throw invalid('request-invalid', `Expected a JPEG of at most ${MOST_BYTES} bytes`)
      await keepCard(sql, Buffer.from(params.key, 'hex'), jpeg)
      return reply.code(204).send()
    },
  )
  app.post<{ Params: { key: string } }>('/cards/:key/failure', { schema: KEY }, async ({ params }, reply) => {
    await failCard(sql, Buffer.from(params.key, 'hex'))
    return reply.code(204).send()
  })
}

/** So many of something a minute, in a row at first. `now`: a clock that never jumps, in milliseconds. */
export function allowanceOf(aMinute: number, now: () => number = () => performance.now()) {
  let left = aMinute
  let counted = now()
  const isLeft = () => {
    const at = now()
    left = Math.min(aMinute, left + ((at - counted) / 60_000) * aMinute)
    counted = at
    return left >= 1
  }
  return {
    isLeft,
    take: () => {
      left -= 1
    },
  }
}
