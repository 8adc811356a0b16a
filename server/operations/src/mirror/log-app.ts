import { randomUUID } from 'node:crypto'
import type { Config } from '@ordbook/db/settings/config.ts'
import { type Readiness, registerHealth } from '@ordbook/http/health/health.ts'
import { type MetricsSource, registerMetrics } from '@ordbook/http/health/metrics.ts'
import { clientKeyOf, trustOf } from '@ordbook/http/limits/client-key.ts'
import { compressAnswers } from '@ordbook/http/limits/compress.ts'
import { boundConnections } from '@ordbook/http/limits/connections.ts'
import { allowOrigins } from '@ordbook/http/limits/cors.ts'
import { limitsOf } from '@ordbook/http/limits/limits.ts'
import { countRequest, MemoryLimiter } from '@ordbook/http/limits/rate-limit.ts'
import { answerInTime } from '@ordbook/http/limits/request-timeout.ts'
import { brokenRequestHandler, faultHandler } from '@ordbook/http/operations/fault-handler.ts'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import { type PublicLog, registerOrderLog } from '../order-log/routes.ts'

/** Creates a server for an order log, with health, metrics and rate limits. Does not listen. */
export async function buildLogApp(options: {
  log: Logger
  publicLog: PublicLog
  readiness: Readiness
  metrics: MetricsSource
  config: Config
}): Promise<FastifyInstance> {
  const { config, log } = options
  const base = { publicUrl: config.publicUrl ?? '' }
  const app = Fastify({
    genReqId: () => randomUUID(),
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 1024,
    trustProxy: trustOf(config.trustProxy),
    requestTimeout: 60_000,
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 2000 },
    clientErrorHandler: brokenRequestHandler(base),
  })
  app.setErrorHandler(faultHandler(base))
  answerInTime(app, config.requestSeconds * 1000)
  boundConnections(app)
  compressAnswers(app)
  await allowOrigins(app)
  const limiter = config.rateLimits === 'on' ? new MemoryLimiter(limitsOf(config)) : null
  await app.register(async (scope) => {
    scope.addHook('onRequest', (request) => countRequest(limiter, 'order-log', 'perIp', clientKeyOf(request)))
    registerOrderLog(scope, options.publicLog)
  })
  registerHealth(app, options.readiness)
  registerMetrics(app, options.metrics, config)
  return app
}
