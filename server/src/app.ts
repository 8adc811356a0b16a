import { operations } from '@ordbook/contract/index.ts'
import type { Bucket, Operation } from '@ordbook/contract/operation.ts'
import { sharedOperations, visitorReads, webOperations } from '@ordbook/contract/web.ts'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { authRoutes, webAuthRoutes } from './auth/routes.ts'
import { cookieSessionFinder, refuseForeignPages, sessionFinder } from './auth/sessions.ts'
import { collectionOfferRoutes } from './collection-offers/routes.ts'
import { collectionRoutes } from './collections/routes.ts'
import type { Context } from './context.ts'
import { readSecret } from './db/migrate.ts'
import { answerInTime } from './http/answer-in-time.ts'
import { trustOf } from './http/client-key.ts'
import { registerContent } from './http/content.ts'
import { cursorCodec } from './http/cursor.ts'
import { registerEvents } from './http/events.ts'
import { answerBrokenRequest, answerFault } from './http/fault-handler.ts'
import { registerHealth } from './http/health.ts'
import { llmsText } from './http/llms.ts'
import { registerMetrics } from './http/metrics.ts'
import { openapiDocument, webOpenapiDocument } from './http/openapi.ts'
import { registerOperations } from './http/operations.ts'
import { type Limit, MemoryLimiter, type RateLimiter, RedisLimiter } from './http/rate-limit.ts'
import { registerRecursive } from './http/recursive.ts'
import { referencePage } from './http/reference.ts'
import { registerStorefront } from './http/storefront.ts'
import { listingRoutes } from './listings/routes.ts'
import { offerRoutes } from './offers/routes.ts'
import { proposalRoutes, webProposalRoutes } from './proposals/routes.ts'
import { purchaseRoutes } from './purchases/routes.ts'
import { recordRoutes } from './record/routes.ts'
import { saleRoutes } from './sales/routes.ts'
import type { Metrics } from './status/metrics.ts'
import type { StatusBoard } from './status/status.ts'
import { storefrontRoutes } from './storefront/routes.ts'

const BASE = '/api/v1'
/** The storefront's own surface: a cookie session, for pages of this server alone. */
const WEB_BASE = '/web/v1'
const BODY_LIMIT = 4 * 1024 * 1024
/** Room for the longest query that the contract allows, 100 slugs of 200 characters. */
const HEADER_LIMIT = 64 * 1024
/** The time for the headers of a request, and between looks for late ones, in milliseconds. */
const SLOW_CLIENTS = { headersTimeout: 15_000, connectionsCheckingInterval: 2000 }
/** For how many seconds a browser that came by https asks for nothing else: a year. */
const HSTS = 'max-age=31536000'

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
  'access-control-expose-headers': 'Retry-After, Link, Ordbook-Guarantee',
}

/** The server's HTTP side, not yet listening. */
export async function buildApp(
  context: Context,
  status: StatusBoard,
  metrics: Metrics,
): Promise<FastifyInstance> {
  const { config, publicUrl, sql } = context
  const cursors = cursorCodec(await readSecret(sql, 'cursor'))
  const routes = [
    ...authRoutes(context),
    ...collectionRoutes(context, cursors),
    ...listingRoutes(context, cursors),
    ...purchaseRoutes(context),
    ...offerRoutes(context, cursors),
    ...collectionOfferRoutes(context),
    ...saleRoutes(context, cursors),
    ...proposalRoutes(context, cursors),
  ]
  const shared = routes.filter((each) => sharedOperations.some(({ id }) => id === each.operation.id))
  const app = Fastify({
    loggerInstance: context.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    trustProxy: trustOf(config.trustProxy),
    requestTimeout: 60_000,
    http: { maxHeaderSize: HEADER_LIMIT, ...SLOW_CLIENTS },
    clientErrorHandler: answerBrokenRequest,
    // A path that cannot be read, or a parameter longer than any may be: the router never gets to a route.
    frameworkErrors: (error, request, reply) => {
      if (request.url.startsWith(BASE)) reply.headers(CORS)
      ;(reply as FastifyReply).code(400).send({ error: `The path is not valid: ${error.message}` })
    },
    routerOptions: { maxParamLength: 300 },
  })
  app.removeContentTypeParser('text/plain')
  app.setErrorHandler(answerFault)
  answerInTime(app, config.requestSeconds * 1000)
  if (!config.trustProxy) warnOfProxies(app, context)
  if (publicUrl.startsWith('https:'))
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('strict-transport-security', HSTS)
    })
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith(BASE)) return
    reply.headers(CORS)
    if (request.method === 'OPTIONS') return reply.code(204).send()
  })
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, ip } = request
    metrics.observe(method, routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime / 1000)
    request.log.debug(
      { method, route: routeOptions.url, status: reply.statusCode, ms: reply.elapsedTime, ip },
      'request',
    )
  })
  const limiter = config.rateLimits === 'on' ? limiterOf(context) : null
  if (limiter) app.addHook('onClose', () => limiter.close())
  const admit = async ({ bucket, whileBehind }: Operation) => {
    if (bucket === 'writes' && !whileBehind) await status.assertOpen()
  }
  const gate = {
    admit,
    authenticate: sessionFinder(context),
    limiter,
  }
  await app.register(async (scope) => registerOperations(scope, routes, gate), { prefix: BASE })
  await app.register(async (scope) => registerOperations(scope, recordRoutes(context, status), gate))
  const webGate = {
    admit,
    refuse: (request: FastifyRequest) => refuseForeignPages(context, request),
    authenticate: cookieSessionFinder(context),
    limiter,
    visitorReads,
  }
  const webRoutes = [
    ...webAuthRoutes(context),
    ...webProposalRoutes(context, cursors),
    ...storefrontRoutes(context, cursors),
    ...shared,
  ]
  await app.register(async (scope) => registerOperations(scope, webRoutes, webGate), { prefix: WEB_BASE })
  const openapi = JSON.stringify(openapiDocument(publicUrl))
  const webOpenapi = JSON.stringify(webOpenapiDocument(publicUrl))
  app.get(`${WEB_BASE}/openapi.json`, (_request, reply) => reply.type('application/json').send(webOpenapi))
  const llms = llmsText(publicUrl)
  for (const prefix of ['', BASE]) {
    app.get(`${prefix}/openapi.json`, (_request, reply) => reply.type('application/json').send(openapi))
    app.get<{ Params: { page: string } }>(`${prefix}/docs/:page.md`, (request, reply) => {
      const text = referencePage(request.params.page, context)
      return text === null ? reply.callNotFound() : reply.type('text/markdown; charset=utf-8').send(text)
    })
    app.get(`${prefix}/llms.txt`, (_request, reply) => reply.type('text/plain; charset=utf-8').send(llms))
  }
  registerContent(app, context)
  registerRecursive(app, context)
  registerEvents(app, context)
  registerHealth(app, () => status.readiness())
  registerMetrics(app, metrics, config)
  const answerPage = registerStorefront(app, context)
  const known = [
    ...Object.values<Operation>(operations).map((each) => ({ ...each, base: each.root ? '' : BASE })),
    ...[...Object.values<Operation>(webOperations), ...sharedOperations].map((each) => ({
      ...each,
      base: WEB_BASE,
    })),
  ].map(({ method, base, path }) => ({
    method,
    pattern: new RegExp(`^${base}${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0]!
    const allowed = known.filter((each) => each.pattern.test(path)).map((each) => each.method)
    if (allowed.length === 0)
      return (
        answerPage(request, reply) ??
        reply.code(404).send({ error: `There is no ${path} here: see /openapi.json` })
      )
    return reply
      .code(405)
      .header('allow', [...allowed, 'OPTIONS'].join(', '))
      .send({ error: `${path} takes ${allowed.join(' and ')}, not ${request.method}` })
  })
  return app
}

/** Says once that requests come through a proxy that is not trusted: they all count as one client. */
function warnOfProxies(app: FastifyInstance, { log }: Pick<Context, 'log'>): void {
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

function limiterOf({ config, log }: Context): RateLimiter {
  const forClient = (perIp: number) => ({ perIp, perKey: perIp })
  const limits: Record<Bucket, Limit> = {
    'auth-challenge': config.rateLimitChallenge,
    'auth-verify': config.rateLimitVerify,
    reads: config.rateLimitReads,
    writes: config.rateLimitWrites,
    'web-reads': config.rateLimitWebReads,
    status: forClient(config.rateLimitStatus),
  }
  return config.redisUrl ? new RedisLimiter(config.redisUrl, limits, log) : new MemoryLimiter(limits)
}
