import { createHash, timingSafeEqual } from 'node:crypto'
import { forbidden, unauthenticated } from '@ordbook/db/process/errors.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'

export interface MetricsSource {
  read(): Promise<{ contentType: string; text: string }>
}

/**
 * Registers `GET /metrics` for Prometheus, with METRICS_TOKEN as the bearer token. Without METRICS_TOKEN,
 * only local requests are allowed, and none if PUBLIC_URL is set, because requests through a local proxy look
 * local.
 */
export function registerMetrics(
  app: FastifyInstance,
  metrics: MetricsSource,
  { metricsToken: token, publicUrl }: Pick<Config, 'metricsToken' | 'publicUrl'>,
): void {
  app.get('/metrics', async (request, reply) => {
    if (token && !isSame(request.headers.authorization ?? '', `Bearer ${token}`))
      throw unauthenticated('operator-token-required', "/metrics requires the operator's token.")
    if (!token && (publicUrl !== null || !isLocal(request)))
      throw forbidden(
        'metrics-closed',
        '/metrics is disabled. Set METRICS_TOKEN and send it as the bearer token.',
      )
    const { contentType, text } = await metrics.read()
    return reply.header('cache-control', 'no-store').type(contentType).send(text)
  })
}

const isLocal = ({ raw, headers }: FastifyRequest) =>
  /^(127\.|::1$|::ffff:127\.)/.test(raw.socket.remoteAddress ?? '') &&
  headers['x-forwarded-for'] === undefined &&
  headers.forwarded === undefined

function isSame(actual: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(actual), digest(expected))
}
