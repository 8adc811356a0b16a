import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False disables CORS. */
    cors?: false
  }
}

const ORIGIN = '*'

/** All paths except the storefront's API and the metrics. */
const isOpen = (path: string) => !/^\/(web|metrics)(\/|\?|$)/.test(path)

/** Enables CORS for open paths. */
export async function allowOrigins(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (!isOpen(route.url)) route.config = { ...route.config, cors: false }
  })
  await app.register(cors, {
    origin: ORIGIN,
    methods: ['GET', 'POST', 'OPTIONS'],
    allowedHeaders: ['authorization', 'content-type', 'idempotency-key'],
    exposedHeaders: [
      'Retry-After',
      'WWW-Authenticate',
      'X-Request-Id',
      'Link',
      'ETag',
      'Accept-Ranges',
      'Content-Range',
      'Ordbook-Guarantee',
    ],
    maxAge: 600,
    strictPreflight: false,
  })
  // The plugin accepts CORS preflights for paths without a route.
  const sendNotFound = async (_request: FastifyRequest, reply: FastifyReply) => reply.callNotFound()
  for (const path of ['/web', '/web/*']) app.all(path, { onRequest: sendNotFound }, sendNotFound)
  app.options('/metrics', { onRequest: sendNotFound }, sendNotFound)
}

/** Adds the CORS header to a response that is sent before hooks run. */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply): void {
  if (isOpen(request.url)) reply.header('access-control-allow-origin', ORIGIN)
}
