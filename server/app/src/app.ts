import type { Operation } from '@ordbook/contract/operation.ts'
import { sharedOperations, visitorReads } from '@ordbook/contract/web.ts'
import { throttled } from '@ordbook/db/process/errors.ts'
import { readSecret } from '@ordbook/db/schema/migrate.ts'
import { openApp } from '@ordbook/http/app.ts'
import { registerDocuments } from '@ordbook/http/documents/documents.ts'
import { registerEvents } from '@ordbook/http/events/events.ts'
import { registerHealth } from '@ordbook/http/health/health.ts'
import { registerMetrics } from '@ordbook/http/health/metrics.ts'
import { endKeptConnections } from '@ordbook/http/limits/connections.ts'
import { openLimiter, registerCounted } from '@ordbook/http/limits/counted.ts'
import { cursorCodec } from '@ordbook/http/operations/cursor.ts'
import { IdempotentCalls } from '@ordbook/http/operations/idempotency.ts'
import { InnerReads } from '@ordbook/http/operations/internal-requests.ts'
import { registerOperations, type Session } from '@ordbook/http/operations/operations.ts'
import { answerUnknown } from '@ordbook/http/operations/unknown.ts'
import { contentSender, registerContent } from '@ordbook/indexer/content/serve.ts'
import { registerRecursive } from '@ordbook/indexer/recursion/recursive.ts'
import { authRoutes, webAuthRoutes } from '@ordbook/market/auth/routes.ts'
import {
  cookieProfileFinder,
  cookieSessionFinder,
  rejectOtherOrigins,
  sessionFinder,
} from '@ordbook/market/auth/sessions.ts'
import { collectionOfferRoutes } from '@ordbook/market/collection-offers/routes.ts'
import { collectionRoutes } from '@ordbook/market/collections/routes.ts'
import { escrowRoutes } from '@ordbook/market/escrow-trades/routes.ts'
import { listingRoutes } from '@ordbook/market/listings/routes.ts'
import { offerRoutes } from '@ordbook/market/offers/routes.ts'
import { proposalRoutes, webProposalRoutes } from '@ordbook/market/proposals/routes.ts'
import { purchaseRoutes } from '@ordbook/market/purchases/routes.ts'
import { recordRoutes } from '@ordbook/market/receipts/routes.ts'
import { saleRoutes } from '@ordbook/market/sales/routes.ts'
import type { SettlingContext } from '@ordbook/market/settlements/kinds.ts'
import { registerOrderLog } from '@ordbook/operations/order-log/routes.ts'
import { publicLogOf } from '@ordbook/operations/order-log/serve.ts'
import type { Metrics } from '@ordbook/operations/status/metrics.ts'
import type { StatusBoard } from '@ordbook/operations/status/status.ts'
import { registerFeeds } from '@ordbook/site/feeds/feeds.ts'
import { cardFinder } from '@ordbook/site/pages/og-images.ts'
import { pagePartsFinder } from '@ordbook/site/pages/page-parts.ts'
import { registerSiteMap } from '@ordbook/site/pages/site-map.ts'
import { registerStorefront } from '@ordbook/site/pages/storefront.ts'
import { quoteRoutes } from '@ordbook/site/quotes/routes.ts'
import { storefrontRoutes } from '@ordbook/site/routes.ts'
import type { CardRenderers } from '@ordbook/site/thumbnails/card-renderers.ts'
import { registerCards } from '@ordbook/site/thumbnails/cards.ts'
import { registerPreviews } from '@ordbook/site/thumbnails/serve.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const BASE = '/api/v1'
/** Base path of the storefront's API, which uses cookie sessions. */
const WEB_BASE = '/web/v1'
const apiRoutes = (context: SettlingContext, cursors: ReturnType<typeof cursorCodec>) => [
  ...authRoutes(context),
  ...collectionRoutes(context, cursors),
  ...listingRoutes(context, cursors),
  ...escrowRoutes(context, cursors),
  ...purchaseRoutes(context),
  ...offerRoutes(context, cursors),
  ...collectionOfferRoutes(context),
  ...saleRoutes(context, cursors),
  ...proposalRoutes(context, cursors),
]

/** Creates the HTTP server. Does not listen. */
export async function buildApp(
  context: SettlingContext,
  status: StatusBoard,
  metrics: Metrics,
  renderers: CardRenderers,
): Promise<FastifyInstance> {
  const { config, sql } = context
  const cursors = cursorCodec(await readSecret(sql, 'cursor'))
  const routes = apiRoutes(context, cursors)
  const shared = routes.filter((route) => sharedOperations.some(({ id }) => id === route.operation.id))
  const app = await openApp(context, (request) => metrics.observe(...request))
  endKeptConnections(app, () => status.isLeaving)
  const limiter = openLimiter(app, context)
  metrics.isRedisUp = async () => (await limiter?.isUp()) ?? null
  const admit = async (operation: Operation) => {
    if (operation.bucket === 'writes' && !operation.whileBehind) await status.assertOpen(operation)
  }
  const calls = new IdempotentCalls(context)
  const gate = {
    admit,
    calls,
    authenticate: sessionFinder(context),
    limiter,
  }
  await app.register(async (scope) => registerOperations(scope, routes, gate), { prefix: BASE })
  const record = recordRoutes(context, status)
  await app.register(async (scope) => registerOperations(scope, record, gate))
  const webGate = {
    admit,
    calls,
    refuse: (request: FastifyRequest) => rejectOtherOrigins(context, request),
    authenticate: cookieSessionFinder(context),
    limiter,
    visitorReads,
    countMore: async ({ bucket, whileBehind }: Operation, { profileId }: Session) => {
      if (bucket !== 'writes' || whileBehind) return
      const wait = await limiter?.take('unfunded-writes', 'perKey', profileId)
      if (wait && !(await context.funding.isProfileFunded(sql, profileId)))
        throw throttled(
          'unfunded-rate-limited',
          `Wallets with less than ${config.minFundingSats} confirmed sats at the payment address are limited to ${config.unfundedWrites} writes per minute`,
          wait,
        )
    },
  }
  const webRoutes = [
    ...webAuthRoutes(context),
    ...webProposalRoutes(context, cursors),
    ...storefrontRoutes(context, cursors),
    ...quoteRoutes(context),
    ...shared,
  ]
  await app.register(async (scope) => registerOperations(scope, webRoutes, webGate), { prefix: WEB_BASE })
  const innerReads = new InnerReads([...webRoutes, ...record], limiter)
  const sender = contentSender(context)
  const rateLimited = <T>(bucket: string, register: (scope: FastifyInstance) => T) =>
    registerCounted(app, limiter, bucket, register)
  await rateLimited('documents', (scope) => {
    registerDocuments(scope, context, { base: BASE, webBase: WEB_BASE })
    registerSiteMap(scope, context)
    registerFeeds(scope, context, cursors)
  })
  await rateLimited('content', (scope) => {
    registerContent(scope, sender)
    registerPreviews(scope, context)
    registerCards(scope, context, { current: cardFinder(innerReads, context), renderers })
  })
  await rateLimited('recursion', (scope) => registerRecursive(scope, context, sender))
  await rateLimited('order-log', (scope) => registerOrderLog(scope, publicLogOf(context)))
  const latestEvent = await rateLimited('events', (scope) =>
    registerEvents(scope, context, cookieProfileFinder(context)),
  )
  registerHealth(app, () => status.readiness())
  registerMetrics(app, metrics, config)
  const answerPage = await registerStorefront(app, context, pagePartsFinder(innerReads, latestEvent, context))
  answerUnknown(app, { base: BASE, webBase: WEB_BASE }, answerPage)
  return app
}
