import { randomUUID } from 'node:crypto'
import type { BaseContext } from '@ordbook/db/context.ts'
import { forbidden, invalid } from '@ordbook/db/process/errors.ts'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { traceRequests } from './health/traces.ts'
import { refuseLargeChunks } from './limits/chunk-sizes.ts'
import { trustOf } from './limits/client-key.ts'
import { compressAnswers } from './limits/compress.ts'
import { answerHalfClosed, answerTunnels, boundConnections } from './limits/connections.ts'
import { allowOrigin, allowOrigins } from './limits/cors.ts'
import { answerInTime } from './limits/request-timeout.ts'
import { refuseRepeatedHeaders } from './limits/single-headers.ts'
import { brokenRequestHandler, faultHandler } from './operations/fault-handler.ts'
import { parseJsonBodies } from './operations/json-body.ts'

const BODY_LIMIT = 4 * 1024 * 1024
/** Fits the longest allowed query: 100 slugs of 200 characters. */
const HEADER_LIMIT = 64 * 1024
/** Timeout for request headers and interval of its check, in milliseconds. */
const SLOW_CLIENTS = { headersTimeout: 15_000, connectionsCheckingInterval: 2000 }
/** One year, in seconds. */
const HSTS = 'max-age=31536000'

const isPage = ({ url, is404 }: FastifyRequest) => is404 || /^\/(assets\/|$|\?)/.test(url)

type ObservedRequest = [method: string, route: string, status: number, seconds: number]

/** Creates a Fastify instance with limits and hooks, but without routes. */
export async function openApp(
  context: BaseContext,
  observe: (request: ObservedRequest) => void,
): Promise<FastifyInstance> {
  const { config, publicUrl } = context
  const answerFault = faultHandler(context)
  const app = Fastify({
    genReqId: () => randomUUID(),
    loggerInstance: context.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    trustProxy: trustOf(config.trustProxy),
    requestTimeout: 60_000,
    http: { maxHeaderSize: HEADER_LIMIT, ...SLOW_CLIENTS },
    clientErrorHandler: brokenRequestHandler(context),
    // Called before routing, for malformed paths and oversized parameters.
    frameworkErrors: (error, request, reply) => {
      allowOrigin(request, reply)
      answerFault(invalid('path-invalid', `The path is not valid: ${error.message}`), request, reply)
    },
    routerOptions: { maxParamLength: 300 },
  })
  parseJsonBodies(app)
  app.setErrorHandler(answerFault)
  if (config.otelExporterOtlpEndpoint) traceRequests(app, Boolean(config.trustProxy))
  answerInTime(app, config.requestSeconds * 1000)
  if (!config.trustProxy) warnOfProxies(app, context)
  if (publicUrl.startsWith('https:'))
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('strict-transport-security', HSTS)
      done()
    })
  boundConnections(app)
  answerHalfClosed(app)
  answerTunnels(app, context)
  refuseLargeChunks(app, BODY_LIMIT, context)
  compressAnswers(app)
  await allowOrigins(app)
  refuseRepeatedHeaders(app)
  // Hooks of every request take a callback. As async functions, they took a tenth of a cached page's CPU time.
  app.addHook('onRequest', (request, reply, done) => {
    const purpose = request.headers['sec-purpose']
    // The CSP of an inscription does not block prefetches.
    if (purpose !== undefined && /^prefetch/.test(String(purpose)) && !isPage(request))
      throw forbidden('foreign-page', 'Prefetching is not allowed.')
    reply.header('x-request-id', request.id)
    done()
  })
  const level = config.accessLog === 'on' ? 'info' : 'debug'
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, ip } = request
    const { elapsedTime } = reply
    observe([method, routeOptions.url ?? 'none', reply.statusCode, elapsedTime / 1000])
    done()
    if (!context.log.isLevelEnabled(level)) return
    // Omit the query string, which can contain private values.
    const [path] = request.url.split('?', 1)
    const ms = Math.round(elapsedTime * 10) / 10
    request.log[level]({ method, path, route: routeOptions.url, status: reply.statusCode, ms, ip }, 'request')
  })
  return app
}

/** Warns once about an untrusted proxy, because all its clients share a rate limit. */
function warnOfProxies(app: FastifyInstance, { log }: Pick<BaseContext, 'log'>): void {
  let hasWarned = false
  app.addHook('onRequest', ({ ip, headers }, _reply, done) => {
    done()
    if (hasWarned || headers['x-forwarded-for'] === undefined) return
    hasWarned = true
    log.warn(
      { peer: ip },
      'X-Forwarded-For received from a peer that is not in TRUST_PROXY: all visitors behind this proxy count as one client',
    )
  })
}
