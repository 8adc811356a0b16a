import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { BaseContext } from '@ordbook/db/context.ts'
import { Fault, throttled } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance } from 'fastify'
import { endWithFault } from '../operations/fault-handler.ts'

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
  app.addHook('onRequest', (request, reply, done) => {
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
    done()
  })
}

/**
 * Responds to clients that end their side of the connection after the request. By default, Node drops their
 * requests. A client that closed the connection looks the same until a write fails: see `probeHalfClosed`.
 */
export function answerHalfClosed(app: FastifyInstance): void {
  Object.assign(app.server, { httpAllowHalfOpen: true })
}

const PROBE_MS = 1000

/**
 * Calls `write` while a half-closed client waits for `response`. If the client is gone, the second write fails
 * and closes the response.
 */
export function probeHalfClosed(response: ServerResponse, write: () => void): void {
  const { socket } = response
  if (!socket) return
  let timer: NodeJS.Timeout | undefined
  const probe = () => {
    write()
    timer = setInterval(write, PROBE_MS)
  }
  if (socket.readableEnded) probe()
  else {
    socket.setMaxListeners(4 * MAX_PENDING)
    socket.once('end', probe)
  }
  response.once('close', () => {
    socket.off('end', probe)
    clearInterval(timer)
  })
}

/** Rejects CONNECT with 405. By default, Node closes the connection. */
export function answerTunnels(app: FastifyInstance, { publicUrl }: Pick<BaseContext, 'publicUrl'>): void {
  app.server.on('connect', ({ url = '' }, socket: Socket) => {
    socket.on('error', () => socket.destroy()).setTimeout(STALL_TIMEOUT_MS, () => socket.destroy())
    const fault = new Fault(
      'method-not-allowed',
      `This server is not a proxy: no tunnel to ${url.slice(0, 80)}.`,
    )
    endWithFault(socket.resume(), fault, publicUrl, 'allow: GET, HEAD, POST, OPTIONS\r\n')
  })
}
