import { Fault, unavailable } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Answers every request within `milliseconds`: with 503 where the handler takes longer, with 408 where the client has not
 * sent all of its request. The handler's work goes on; a repeated request finds what it did. An answer that has begun is
 * left alone. (Fastify's `handlerTimeout` ends with the body of a request: a POST outlives it.)
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
