import type { Market } from '../market.ts'
import type { Protocol } from './protocol.ts'

/** Paths that content may request, as in its own policy (server/indexer/src/content/serve.ts). */
const OPEN = /^\/(content\/|r\/|blockhash(\/|$)|blockheight$|blocktime$)/
/** Limits per item. */
const MAX_REQUESTS = 500
const MAX_BYTES = 100 * 2 ** 20
/** Headers of the connection with the market. */
const OF_THE_WAY = /^(connection|keep-alive|transfer-encoding|content-length|date)$/

/** Local pages by path. */
export type OwnPages = Readonly<Record<string, { type: string; body: string | Uint8Array }>>

/**
 * Serves the requests of one item: content and recursive endpoints of the market, and local pages. The browser has no network, so requests
 * that bypass these handlers fail.
 */
export class Requests {
  private readonly protocol: Protocol
  private readonly market: Market
  private readonly origin: string
  private readonly pages: OwnPages
  private count = 0
  /** Pending requests. */
  onTheWay = 0
  private bytes = 0

  constructor(protocol: Protocol, market: Market, { origin, pages }: { origin: string; pages: OwnPages }) {
    this.protocol = protocol
    this.market = market
    this.origin = origin
    this.pages = pages
  }

  /** Completes a paused request. */
  async answer(paused: { requestId: string; request: any }, sessionId: string): Promise<void> {
    this.onTheWay++
    await this.answerNow(paused, sessionId).finally(() => this.onTheWay--)
  }

  private async answerNow(paused: { requestId: string; request: any }, sessionId: string): Promise<void> {
    const { requestId, request } = paused
    const reject = () =>
      this.protocol
        .call('Fetch.failRequest', { requestId, errorReason: 'AccessDenied' }, sessionId)
        .catch(() => {})
    const url = URL.canParse(request.url) ? new URL(request.url) : null
    const path = url && `${url.pathname}${url.search}`
    if (!url || !path || url.origin !== this.origin || request.method !== 'GET') return reject()
    if (++this.count > MAX_REQUESTS || this.bytes > MAX_BYTES) return reject()
    const page = Object.hasOwn(this.pages, url.pathname) ? this.pages[url.pathname] : null
    if (page)
      return this.fulfil(requestId, sessionId, 200, { 'content-type': page.type }, Buffer.from(page.body))
    // Check the raw path, because the browser sends it.
    if (!OPEN.test(url.pathname)) return reject()
    try {
      const range = request.headers.Range ?? request.headers.range
      const reply = await this.market.get(path, range ? { range } : {})
      this.bytes += reply.body.length
      await this.fulfil(requestId, sessionId, reply.status, reply.headers, reply.body)
    } catch {
      await reject()
    }
  }

  private async fulfil(
    requestId: string,
    sessionId: string,
    responseCode: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    body: Buffer,
  ): Promise<void> {
    const responseHeaders = Object.entries(headers).flatMap(([name, value]) =>
      OF_THE_WAY.test(name) ? [] : [value ?? []].flat().map((each) => ({ name, value: each })),
    )
    await this.protocol
      .call(
        'Fetch.fulfillRequest',
        { requestId, responseCode, responseHeaders, body: body.toString('base64') },
        sessionId,
      )
      .catch(() => {})
  }
}
