import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { BaseContext } from '@ordbook/db/context.ts'
import { Fault } from '@ordbook/db/process/errors.ts'
import type { FastifyInstance } from 'fastify'
import { bodyTooLarge, endWithFault } from '../operations/fault-handler.ts'

/** Longest line with the size of a chunk, including extensions. */
const MAX_LINE = 1000

/** Reads the sizes of chunks in a chunked body (RFC 9112, 7.1). */
class ChunkSizes {
  private readonly limit: number
  private line = ''
  /** Bytes before the next size: data and its line break. */
  private skip = 0
  private hasEnded = false

  constructor(limit: number) {
    this.limit = limit
  }

  /** Returns whether a chunk of the body is larger than the limit. Errors are left to Node's parser. */
  exceedsIn(bytes: Buffer): boolean {
    for (let at = 0; at < bytes.length && !this.hasEnded; ) {
      const skipped = Math.min(this.skip, bytes.length - at)
      this.skip -= skipped
      at += skipped
      const end = bytes.indexOf('\n', at)
      this.line += bytes.toString('latin1', at, end < 0 ? bytes.length : end)
      if (this.line.length > MAX_LINE) this.hasEnded = true
      if (end < 0) return false
      at = end + 1
      const size = Number.parseInt(this.line, 16)
      if (size > this.limit) return true
      this.hasEnded ||= !(size > 0)
      this.skip = size + 2
      this.line = ''
    }
    return false
  }
}

/** A connection, with the part of Node's parser that has the bytes of the current packet. */
type ParsedSocket = Socket & { parser?: { getCurrentBuffer?(): Buffer } | null }

/**
 * Rejects a chunk that is larger than the body limit when its size arrives. Otherwise Node's parser waits for the
 * data of the chunk until the request times out.
 */
export function refuseLargeChunks(
  app: FastifyInstance,
  limit: number,
  { publicUrl }: Pick<BaseContext, 'publicUrl'>,
): void {
  app.server.prependListener('request', (request: IncomingMessage) => {
    if (request.headers['transfer-encoding'] === undefined) return
    const socket: ParsedSocket = request.socket
    const sizes = new ChunkSizes(limit)
    const check = (bytes: Buffer) => {
      if (!sizes.exceedsIn(bytes) || socket.destroyed) return
      stop()
      endWithFault(socket, new Fault('body-too-large', bodyTooLarge), publicUrl)
      socket.destroySoon()
    }
    const stop = () => socket.off('data', check)
    const packet = socket.parser?.getCurrentBuffer?.()
    const head = packet?.indexOf('\r\n\r\n') ?? -1
    socket.on('data', check)
    request.once('close', stop)
    if (head >= 0) check(packet!.subarray(head + 4))
  })
}
