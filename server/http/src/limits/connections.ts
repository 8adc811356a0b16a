import type { Socket } from 'node:net'
import { throttled } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance } from 'fastify'

/** Requests on one connection that may wait for their answers; browsers and proxies send one after the other. */
const MOST_UNANSWERED = 16
/** Milliseconds for which a client may leave an answer unread. */
const STALL_MILLISECONDS = 30_000

/**
 * Ends each connection with its next answer while `isLeaving`: a client or proxy that kept it would else send a request on it at the
 * moment at which the server closes, and not learn whether it counted.
 */
export function endKeptConnections(app: FastifyInstance, isLeaving: () => boolean): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isLeaving()) reply.header('connection', 'close')
    done()
  })
}

/** Bounds what one connection can make the server hold: requests that are sent ahead, and answers that are not read. */
export function boundConnections(app: FastifyInstance, stallMilliseconds = STALL_MILLISECONDS): void {
  const unanswered = new WeakMap<Socket, number>()
  // Node fires this when a connection neither took nor sent a byte for so long. While a handler works, an idle connection is
  // normal.
  app.server.setTimeout(stallMilliseconds, (socket) => {
    if (socket.writableLength > 0 || !unanswered.get(socket)) socket.destroy()
  })
  app.addHook('onRequest', async (request, reply) => {
    const { socket } = request.raw
    const count = (unanswered.get(socket) ?? 0) + 1
    unanswered.set(socket, count)
    reply.raw.once('close', () => unanswered.set(socket, unanswered.get(socket)! - 1))
    if (count > MOST_UNANSWERED)
      throw throttled(
        'connection-backlog-full',
        `At most ${MOST_UNANSWERED} requests per connection may be in flight`,
        1,
      )
  })
}
