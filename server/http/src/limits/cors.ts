import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False if pages of other origins cannot read the responses. */
    cors?: false
  }
}

const ORIGIN = '*'

/**
 * Returns whether pages of any origin can read a path: all paths except the storefront's endpoints and the
 * metrics.
 */
const isOpen = (path: string) => !/^\/(web|metrics)(\/|\?|$)/.test(path)

/** Allows pages of any origin to read open paths, and handles their CORS preflight requests. */
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
  // The plugin accepts CORS preflights for any path, and detects closed paths only by their route.
  const sendNotFound = async (_request: FastifyRequest, reply: FastifyReply) => reply.callNotFound()
  for (const path of ['/web', '/web/*']) app.all(path, { onRequest: sendNotFound }, sendNotFound)
  app.options('/metrics', { onRequest: sendNotFound }, sendNotFound)
}

/** Sets the CORS header on a response that is sent before hooks run. */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply): void {
  if (isOpen(request.url)) reply.header('access-control-allow-origin', ORIGIN)
}
