import type { Socket } from 'node:net'
import { throttled } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance } from 'fastify'

/** Maximum pending requests per connection; browsers and proxies send one at a time. */
const MAX_UNANSWERED = 16
/** Milliseconds for which a client may leave a response unread. */
const STALL_MILLISECONDS = 30_000

/**
 * While `isLeaving`, closes each connection after its next response. Otherwise a client or proxy could send a request on a kept connection
 * just as the server closes it, and not know whether it was processed.
 */
export function endKeptConnections(app: FastifyInstance, isLeaving: () => boolean): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isLeaving()) reply.header('connection', 'close')
    done()
  })
}

/** Limits what one connection can make the server buffer: pipelined requests, and responses that are not read. */
export function boundConnections(app: FastifyInstance, stallMilliseconds = STALL_MILLISECONDS): void {
  const unanswered = new WeakMap<Socket, number>()
  // Node emits this after a period without traffic on a connection, which is normal while a handler is running.
  app.server.setTimeout(stallMilliseconds, (socket) => {
    if (socket.writableLength > 0 || !unanswered.get(socket)) socket.destroy()
  })
  app.addHook('onRequest', async (request, reply) => {
    const { socket } = request.raw
    const count = (unanswered.get(socket) ?? 0) + 1
    unanswered.set(socket, count)
    reply.raw.once('close', () => unanswered.set(socket, unanswered.get(socket)! - 1))
    if (count > MAX_UNANSWERED)
      throw throttled(
        'connection-backlog-full',
        `At most ${MAX_UNANSWERED} requests per connection may be in flight`,
        1,
      )
  })
}
