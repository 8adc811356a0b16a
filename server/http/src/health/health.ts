import { unavailable } from '@ordbook/db/process/errors.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import { faultHandler } from '../operations/fault-handler.ts'
import { type MetricsSource, registerMetrics } from './metrics.ts'

/** Whether the process can do its work: gives what is missing, or null. */
export type Readiness = () => Promise<string | null>

/**
 * `GET /healthz` answers while the process runs, and checks nothing else. `GET /readyz` answers 503 while it cannot work, so that
 * a balancer sends requests elsewhere.
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

/** Health and metrics alone, for a process without the API; not yet listening. */
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
  // No proxy leads to this port.
  registerMetrics(app, options.metrics, { ...options.config, publicUrl: null })
  return app
}
