import { Fault, unavailable } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Adds a timeout to all requests. Sends 503 if the handler is slow, or 408 if the request is incomplete. The
 * handler keeps running. Started responses are not affected. (Fastify's `handlerTimeout` does not cover POST:
 * it is cleared when the body ends.)
 */
export function answerInTime(app: FastifyInstance, milliseconds: number): void {
  app.addHook('onRequest', (request, reply, done) => {
    const timer = setTimeout(() => sendTimeout(request, reply), milliseconds)
    reply.raw.once('close', () => clearTimeout(timer))
    done()
  })
}

function sendTimeout(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent) return
  if (request.raw.complete) {
    request.log.warn({ method: request.method, route: request.routeOptions.url }, 'request timed out')
    reply.send(unavailable('server-busy', 'The request timed out. Try again shortly.'))
  } else
    reply
      .header('connection', 'close')
      .send(new Fault('request-timeout', 'The request was not received in time. Send it again.'))
}
