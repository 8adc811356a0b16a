import { Fault, unavailable } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Responds to every request within `milliseconds`: 503 if the handler takes longer, 408 if the client has not sent the whole request. The
 * handler keeps running; a retry finds its result. A response that has started is not touched. (Fastify's `handlerTimeout` is cleared when
 * a request's body ends, so it does not cover a POST.)
 */
export function answerInTime(app: FastifyInstance, milliseconds: number): void {
  app.addHook('onRequest', async (request, reply) => {
    const timer = setTimeout(() => answerLate(request, reply), milliseconds)
    reply.raw.once('close', () => clearTimeout(timer))
  })
}

function answerLate(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent) return
  if (request.raw.complete) {
    request.log.warn({ method: request.method, route: request.routeOptions.url }, 'a request ran out of time')
    reply.send(unavailable('server-busy', 'The answer takes too long right now; try again shortly'))
  } else
    reply
      .header('connection', 'close')
      .send(new Fault('request-timeout', 'The request did not arrive in time; send it again'))
}
