import type { Readable, Writable } from 'node:stream'

type Handler = (params: any, sessionId: string) => void

interface Waiting {
  resolve: (result: any) => void
  reject: (error: Error) => void
}

/** Maximum message of the browser. A screenshot of 1024 by 1024 pixels needs a tenth of it. */
const MAX_BYTES = 64 * 2 ** 20

/**
 * The DevTools protocol over two pipes; messages end with a zero byte. Without a port, no other process can connect.
 * https://chromedevtools.github.io/devtools-protocol/
 */
export class Protocol {
  private readonly to: Writable
  private readonly waiting = new Map<number, Waiting>()
  private readonly handlers = new Map<string, Handler>()
  private parts: Buffer[] = []
  private bytes = 0
  private next = 1
  private closed: Error | null = null

  constructor(to: Writable, from: Readable) {
    this.to = to
    to.on('error', () => {})
    from.on('error', () => {})
    from.on('data', (chunk: Buffer) => this.read(chunk))
    from.on('close', () => this.close(new Error('the browser exited')))
  }

  /** Calls a method of a session, or of the browser without one. */
  call(method: string, params: object = {}, sessionId?: string): Promise<any> {
    if (this.closed) return Promise.reject(this.closed)
    const id = this.next++
    this.to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }))
  }

  /** Sets the only handler of an event, for all sessions. */
  on(event: string, handler: Handler): void {
    this.handlers.set(event, handler)
  }

  /** Rejects all pending and future calls. */
  close(reason: Error): void {
    this.closed ??= reason
    for (const { reject } of this.waiting.values()) reject(this.closed)
    this.waiting.clear()
  }

  private read(chunk: Buffer): void {
    let rest = chunk
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      this.parts.push(rest.subarray(0, end))
      const text = Buffer.concat(this.parts).toString()
      this.parts = []
      this.bytes = 0
      rest = rest.subarray(end + 1)
      this.receive(JSON.parse(text))
    }
    this.parts.push(rest)
    this.bytes += rest.length
    if (this.bytes > MAX_BYTES) this.close(new Error('the browser sent a message that exceeds the limit'))
  }

  private receive(message: any): void {
    if (message.id === undefined) {
      this.handlers.get(message.method)?.(message.params, message.sessionId ?? '')
      return
    }
    const waiting = this.waiting.get(message.id)
    this.waiting.delete(message.id)
    if (message.error) waiting?.reject(new Error(`the browser returned an error: ${message.error.message}`))
    else waiting?.resolve(message.result)
  }
}
