import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { unauthenticated } from '../errors.ts'

/** `GET /metrics`, for Prometheus; behind a bearer token of the operator's where there is one. */
export function registerMetrics(
  app: FastifyInstance,
  metrics: { read(): Promise<{ contentType: string; text: string }> },
  token: string | null,
): void {
  app.get('/metrics', async (request, reply) => {
    if (token && !isSame(request.headers.authorization ?? '', `Bearer ${token}`))
      throw unauthenticated('/metrics asks for the token of this server’s operator')
    const { contentType, text } = await metrics.read()
    return reply.header('cache-control', 'no-store').type(contentType).send(text)
  })
}

/** In the same time whatever differs. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
