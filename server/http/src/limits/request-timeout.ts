import { Fault, unavailable } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Adds a timeout to all requests. Sends 503 if the handler is slow, or 408 if the request is incomplete. The
 * handler keeps running, but its result is dropped. Started responses are not affected, nor finished ones that
 * are being compressed. (Fastify's `handlerTimeout` does not cover POST: it is cleared when the body ends.)
 */
export function answerInTime(app: FastifyInstance, milliseconds: number): void {
  app.decorateReply('timeout', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    reply.timeout = setTimeout(() => sendTimeout(request, reply), milliseconds)
    reply.raw.once('close', () => clearTimeout(reply.timeout))
    done()
  })
}

declare module 'fastify' {
  interface FastifyReply {
    /** Clear it before a response waits to be sent. */
    timeout: NodeJS.Timeout | undefined
  }
}

/** Headers of a response that has not started. */
const OF_CONTENT = [
  'accept-ranges',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'etag',
]

function sendTimeout(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent) return
  for (const name of OF_CONTENT) reply.removeHeader(name)
  if (request.raw.complete) {
    request.log.warn({ method: request.method, route: request.routeOptions.url }, 'request timed out')
    reply.send(unavailable('server-busy', 'The request timed out. Try again shortly.'))
  } else
    reply
      .header('connection', 'close')
      .send(new Fault('request-timeout', 'The request was not received in time. Send it again.'))
  logOnlyErrors(reply)
}

/** Stops Fastify's warning about a second response, which is the handler's. Logs the handler's error. */
function logOnlyErrors(reply: FastifyReply): void {
  const { log } = reply
  reply.log = Object.assign(Object.create(log) as typeof log, {
    warn() {},
    error: ({ err }: { err: unknown }) => log.warn({ err }, 'request failed after its timeout'),
  })
}
