import { unavailable } from '@ordbook/db/process/errors.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import { faultHandler } from '../operations/fault-handler.ts'
import { type MetricsSource, registerMetrics } from './metrics.ts'

/** Returns why the process is not ready, or null if it is ready. */
export type Readiness = () => Promise<string | null>

/**
 * Registers `GET /healthz`, which always returns 200, and `GET /readyz`, which returns 503 if the process is
 * not ready.
 */
export function registerHealth(app: FastifyInstance, readiness: Readiness): void {
  app.get('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    const reason = await readiness()
    if (reason !== null) throw unavailable('server-not-ready', `Not ready: ${reason}`)
    return { status: 'ok' }
  })
}

/** Creates a server with only health and metrics, for a process without the API. Does not listen. */
export function buildHealthApp(options: {
  log: Logger
  readiness: Readiness
  metrics: MetricsSource
  config: Pick<Config, 'metricsToken' | 'publicUrl'>
}): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
  })
  app.setErrorHandler(faultHandler({ publicUrl: options.config.publicUrl ?? '' }))
  registerHealth(app, options.readiness)
  // This port is not behind a proxy.
  registerMetrics(app, options.metrics, { ...options.config, publicUrl: null })
  return app
}
