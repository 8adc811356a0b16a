import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False if pages of other origins may not read the responses. */
    cors?: false
  }
}

const ORIGIN = '*'

/** Whether pages of any origin may read a path: all but the storefront's surface and the metrics. */
const isOpen = (path: string) => !/^\/(web|metrics)(\/|\?|$)/.test(path)

/** Lets pages of any origin read every open path, and handles their preflight requests. */
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
  // The plugin accepts preflights for any path, and recognises closed ones only by their route.
  const refuse = async (_request: FastifyRequest, reply: FastifyReply) => reply.callNotFound()
  for (const path of ['/web', '/web/*']) app.all(path, { onRequest: refuse }, refuse)
  app.options('/metrics', { onRequest: refuse }, refuse)
}

/** Sets the CORS header on a response that is sent before the hooks run. */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply): void {
  if (isOpen(request.url)) reply.header('access-control-allow-origin', ORIGIN)
}
