import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { CardTexts } from './card.ts'

/** Timeout for drawing a card. */
const DEADLINE_MILLISECONDS = 4000
const MAX_CONNECTIONS = 100
const MAX_BYTES = 200_000
const ACCEPTED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ordbook-cards\r\n\r\n'

/**
 * Idle connections from renderers. Renderers have no address, so the roles are reversed: the market sends an HTTP request with a card, and
 * the renderer returns a JPEG and closes.
 */
export class CardRenderers {
  private readonly idle = new Set<Socket>()

  /** Accepts connections at the renderers' socket. */
  listen(app: FastifyInstance): void {
    app.server.on('upgrade', (asked: IncomingMessage, socket: Socket) => {
      socket.on('error', () => {})
      if (asked.url !== '/cards' || this.idle.size >= MAX_CONNECTIONS) return socket.destroy()
      this.idle.add(socket)
      socket.on('close', () => this.idle.delete(socket))
      // Read the stream to notice a disconnect.
      socket.on('end', () => socket.destroy()).resume()
      socket.write(ACCEPTED)
    })
    app.addHook('preClose', async () => {
      for (const socket of this.idle) socket.destroy()
    })
  }

  /** Draws a card as a JPEG. Returns null if no renderer is idle, or if it fails or misses the deadline. */
  async draw(thumbnail: Uint8Array, texts: CardTexts): Promise<Buffer | null> {
    const [socket] = this.idle
    if (!socket) return null
    this.idle.delete(socket)
    try {
      return await askOver(
        socket,
        JSON.stringify({ thumbnail: Buffer.from(thumbnail).toString('base64'), texts }),
      )
    } catch {
      return null
    } finally {
      socket.destroy()
    }
  }
}

async function askOver(socket: Socket, card: string): Promise<Buffer | null> {
  const signal = AbortSignal.timeout(DEADLINE_MILLISECONDS)
  const cardRequest = request({ createConnection: () => socket, method: 'POST', path: '/', signal })
  cardRequest.on('error', () => {}).end(card)
  const [answer] = (await once(cardRequest, 'response', { signal })) as [IncomingMessage]
  if (answer.statusCode !== 200) return null
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer) {
    length += chunk.length
    if (length > MAX_BYTES) return null
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  return body.toString('hex', 0, 3) === 'ffd8ff' ? body : null
}
