import type { Socket } from 'node:net'
import { throttled } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance } from 'fastify'

/** Maximum pending requests per connection. Browsers and proxies send one at a time. */
const MAX_PENDING = 16
const STALL_TIMEOUT_MS = 30_000

/**
 * Closes each connection after its next response while `isLeaving` returns true. Otherwise a client could
 * send a request while the server closes the connection.
 */
export function endKeptConnections(app: FastifyInstance, isLeaving: () => boolean): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isLeaving()) reply.header('connection', 'close')
    done()
  })
}

/** Limits pipelined requests and unread responses per connection. */
export function boundConnections(app: FastifyInstance, stallMilliseconds = STALL_TIMEOUT_MS): void {
  const pendingBySocket = new WeakMap<Socket, number>()
  // The connection is also idle while a handler runs.
  app.server.setTimeout(stallMilliseconds, (socket) => {
    if (socket.writableLength > 0 || !pendingBySocket.get(socket)) socket.destroy()
  })
  app.addHook('onRequest', async (request, reply) => {
    const { socket } = request.raw
    const count = (pendingBySocket.get(socket) ?? 0) + 1
    pendingBySocket.set(socket, count)
    reply.raw.once('close', () => pendingBySocket.set(socket, pendingBySocket.get(socket)! - 1))
    if (count > MAX_PENDING)
      throw throttled(
        'connection-backlog-full',
        `At most ${MAX_PENDING} requests per connection may be in flight`,
        1,
      )
  })
}
