import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Socket } from 'node:net'
import type { Thumbnails } from './thumbnails.ts'

export type Kind = 'raster' | 'text' | 'document' | 'video' | 'audio' | 'model'

/** A queued item. */
export interface Claim {
  key: string
  inscriptionId: string
  kind: Kind
  contentType: string | null
  /** Origin that serves content to visitors. */
  origin: string
}

/** A card to draw: a thumbnail (WebP in base64) and its text. */
export interface CardJob {
  thumbnail: string
  texts: CardTexts
}

/** Text of a card. Names are untrusted. */
export interface CardTexts {
  heading: string
  name: string
  label: string
  amount: string | null
  note: string | null
  market: string
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

const DEADLINE_MILLISECONDS = 15_000
/** Maximum response: a block in hex. */
const MAX_BYTES = 10_000_000

/** Client of the market's renderer socket, the renderer's only connection. */
export class Market {
  private readonly socketPath: string
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 6 })

  constructor(socketPath: string) {
    this.socketPath = socketPath
  }

  /** Claims the next item of these kinds, or returns null. */
  async claim(kinds: readonly Kind[]): Promise<Claim | null> {
    const { status, body } = await this.post('/claims', { kinds })
    return status === 204 ? null : JSON.parse(body.toString())
  }

  /** Uploads an item's thumbnails. Throws if the market rejects them. */
  async keep(key: string, { thumbnails, placeholder }: Thumbnails): Promise<void> {
    await this.post(`/thumbnails/${key}`, {
      thumbnails: thumbnails.map(({ size, webp }) => ({ size, webp: Buffer.from(webp).toString('base64') })),
      placeholder: placeholder && Buffer.from(placeholder).toString('base64'),
    })
  }

  /** Keeps a claimed item from other renderers. */
  async renew(key: string): Promise<void> {
    await this.post(`/renewals/${key}`, {})
  }

  async fail(key: string, reason: string, isFinal: boolean): Promise<void> {
    await this.post(`/failures/${key}`, { reason: reason || 'unknown', isFinal })
  }

  /** Opens a connection on which the market sends one HTTP request, with a `CardJob`. Throws if the market does not accept it. */
  offerCard(signal: AbortSignal): Promise<Socket> {
    return new Promise((resolve, reject) => {
      request({
        socketPath: this.socketPath,
        path: '/cards',
        // The default agent closes idle connections after 5 s.
        agent: false,
        headers: { host: 'market', connection: 'Upgrade', upgrade: 'ordbook-cards' },
        signal,
      })
        .on('upgrade', (_response, socket, head) => {
          socket.unshift(head)
          resolve(socket as Socket)
        })
        .on('response', (response) => {
          response.destroy()
          reject(new Error(`the market rejected the card connection with status ${response.statusCode}`))
        })
        .on('error', reject)
        .end()
    })
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, headers, null)
  }

  close(): void {
    this.agent.destroy()
  }

  private async post(path: string, value: object): Promise<Answer> {
    const answer = await this.send(
      'POST',
      path,
      { 'content-type': 'application/json' },
      JSON.stringify(value),
    )
    if (answer.status >= 300)
      throw new Error(
        `the market returned ${answer.status} for ${path}: ${answer.body.toString('utf8', 0, 300)}`,
      )
    return answer
  }

  private send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | null,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          socketPath: this.socketPath,
          agent: this.agent,
          method,
          path,
          headers: { host: 'market', ...headers },
          signal: AbortSignal.timeout(DEADLINE_MILLISECONDS),
        },
        (response) => {
          const chunks: Buffer[] = []
          let length = 0
          response.on('data', (chunk: Buffer) => {
            length += chunk.length
            if (length > MAX_BYTES) response.destroy(new Error(`more than ${MAX_BYTES} bytes for ${path}`))
            else chunks.push(chunk)
          })
          response.on('end', () =>
            resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
          )
          response.on('error', reject)
        },
      )
      outgoing.on('error', reject)
      outgoing.end(body ?? undefined)
    })
  }
}
