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
import { trustOf } from './limits/client-key.ts'
import { compressAnswers } from './limits/compress.ts'
import { boundConnections } from './limits/connections.ts'
import { allowOrigin, allowOrigins } from './limits/cors.ts'
import { answerInTime } from './limits/request-timeout.ts'
import { brokenRequestHandler, faultHandler } from './operations/fault-handler.ts'

const BODY_LIMIT = 4 * 1024 * 1024
/** Fits the longest query that the contract allows, 100 slugs of 200 characters. */
const HEADER_LIMIT = 64 * 1024
/** Timeout for the headers of a request, and interval of the check for late ones, in milliseconds. */
const SLOW_CLIENTS = { headersTimeout: 15_000, connectionsCheckingInterval: 2000 }
/** Tells browsers that connected by https to use only https for a year. */
const HSTS = 'max-age=31536000'

/** Whether a request is for the storefront's document or assets. */
const isPage = ({ url, is404 }: FastifyRequest) => is404 || /^\/(assets\/|$|\?)/.test(url)

/** A finished request, for metrics. */
type ObservedRequest = [method: string, route: string, status: number, seconds: number]

/** Creates a Fastify instance without routes: limits, timeouts, and hooks for every request. */
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
    // Called for a malformed path or an overlong parameter, before routing.
    frameworkErrors: (error, request, reply) => {
      allowOrigin(request, reply)
      answerFault(invalid('path-invalid', `The path is not valid: ${error.message}`), request, reply)
    },
    routerOptions: { maxParamLength: 300 },
  })
  app.removeContentTypeParser('text/plain')
  app.setErrorHandler(answerFault)
  if (config.otelExporterOtlpEndpoint) traceRequests(app, Boolean(config.trustProxy))
  answerInTime(app, config.requestSeconds * 1000)
  if (!config.trustProxy) warnOfProxies(app, context)
  if (publicUrl.startsWith('https:'))
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('strict-transport-security', HSTS)
    })
  boundConnections(app)
  compressAnswers(app)
  await allowOrigins(app)
  app.addHook('onRequest', async (request) => {
    // A CSP does not stop an inscription opened in its own tab from making the browser prefetch other paths.
    if (/^prefetch/.test(String(request.headers['sec-purpose'] ?? '')) && !isPage(request))
      throw forbidden('foreign-page', 'Prefetching is not allowed here')
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  const level = config.accessLog === 'on' ? 'info' : 'debug'
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, ip } = request
    observe([method, routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime / 1000])
    // Do not log the query: a link may contain private values.
    const [path] = request.url.split('?', 1)
    const ms = Math.round(reply.elapsedTime * 10) / 10
    request.log[level]({ method, path, route: routeOptions.url, status: reply.statusCode, ms, ip }, 'request')
  })
  return app
}

/** Warns once about requests through an untrusted proxy, which all count as one client. */
function warnOfProxies(app: FastifyInstance, { log }: Pick<BaseContext, 'log'>): void {
  let isKnown = false
  app.addHook('onRequest', async ({ ip, headers }) => {
    if (isKnown || headers['x-forwarded-for'] === undefined) return
    isKnown = true
    log.warn(
      { peer: ip },
      'X-Forwarded-For arrived from a peer that TRUST_PROXY does not name: behind a proxy every visitor counts as one client',
    )
  })
}
