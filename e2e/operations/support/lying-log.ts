import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { canonical, hashOf, lineOf, startOf } from '@ordbook/operations/order-log/chain.ts'

interface Told {
  network: string
  market: string
  lines: readonly string[]
  /** Signs a log head with the market's key. Returns hex. */
  sign(head: { network: string; position: number; hash: string }): Promise<string>
}

/** Handles a request. Returns false to let the log respond. */
type Lie = (request: IncomingMessage, response: ServerResponse, after: number | null) => unknown

export class LyingLog {
  url = ''
  shown: number
  lie: Lie = () => false
  asked = 0
  lines: readonly string[]
  private readonly told: Told
  private readonly server: Server

  constructor(told: Told, shown: number) {
    this.told = told
    this.lines = told.lines
    this.shown = shown
    this.server = createServer((request, response) => void this.answer(request, response))
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
    return this
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
  }

  /** Returns the head as the market would sign it. */
  async head(position = this.shown, lines = this.lines): Promise<object> {
    const { network, market, sign } = this.told
    if (position === 0) return { network, market, head: null }
    const hash = hashOf(lines[position - 1]!)
    return {
      network,
      market,
      head: { position, hash, signature: await sign({ network, position, hash }) },
    }
  }

  page(after: number): string {
    return this.lines
      .slice(after, this.shown)
      .map((line) => `${line}\n`)
      .join('')
  }

  /** Returns the log up to a position, followed by other changes with valid hashes. */
  retold(from: number, changes: readonly object[]): string[] {
    const lines = this.lines.slice(0, from)
    for (const change of changes) {
      const previous = lines.length === 0 ? startOf(this.told.network) : hashOf(lines.at(-1)!)
      lines.push(lineOf(lines.length + 1, previous, change))
    }
    return lines
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked++
    const url = new URL(request.url!, this.url)
    const after = url.pathname === '/order-log' ? Number(url.searchParams.get('after') ?? 0) : null
    const lied = await this.lie(request, response, after)
    if (lied !== false) return
    if (after === null) response.end(canonical(await this.head()))
    else response.end(this.page(after))
  }
}
