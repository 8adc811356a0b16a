import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CardJob, Market } from './market.ts'
import type { Rasters } from './raster/rasters.ts'

/** Each connection draws one card, then pauses: at most 30 cards per minute, and 10 in a row. */
const CONNECTIONS = 10
const PAUSE_MILLISECONDS = 20_000

/** Draws cards one at a time until the signal aborts. */
export async function drawCards(
  market: Market,
  rasters: Rasters,
  { log, stopping }: { log: Logger; stopping: AbortSignal },
): Promise<void> {
  const server = createServer(cardHandler(rasters, log))
  const serveOne = async () => {
    const socket = await market.offerCard(stopping)
    try {
      server.emit('connection', socket)
      await once(socket, 'close', { signal: stopping })
    } finally {
      socket.destroy()
    }
  }
  const serve = async () => {
    while (!stopping.aborted) {
      // The workers already report an unreachable market.
      await serveOne().catch(() => {})
      await sleep(PAUSE_MILLISECONDS, undefined, { signal: stopping }).catch(() => {})
    }
  }
  // Start the process early, because a card has a deadline of 4 s. After a failure, the first card retries.
  await rasters.prepare().catch(() => {})
  await Promise.all(Array.from({ length: CONNECTIONS }, serve))
}

function cardHandler(rasters: Rasters, log: Logger): RequestListener {
  let last: Promise<unknown> = Promise.resolve()
  return async (request, response) => {
    try {
      const { thumbnail, texts } = (await json(request)) as CardJob
      const drawing = last.then(() => rasters.cardOf(Buffer.from(thumbnail, 'base64'), texts))
      last = drawing.catch(() => {})
      const jpeg = await drawing
      response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': jpeg.length }).end(jpeg)
      log.debug({ name: texts.name }, 'drew a card')
    } catch (error) {
      log.info({ err: error }, 'a card was not drawn')
      response.writeHead(500).end()
    }
  }
}
