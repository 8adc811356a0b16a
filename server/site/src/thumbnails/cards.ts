import { invalid, missing } from '@ordbook/db/process/errors.ts'
import { type Client, clientOf } from '@ordbook/http/limits/client-key.ts'
import { IMMUTABLE } from '@ordbook/indexer/content/serve.ts'
import type { Context } from '@ordbook/market/context.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Card, cardPath } from './card.ts'
import type { CardRenderers } from './card-renderers.ts'
import { findLargestThumbnail } from './queries.ts'

/** Maximum cards in memory, up to 200 kB each. */
const MAX_KEPT = 100
/** Cache duration of a substitute image. */
const INSTEAD_SECONDS = 30

/** Finds the current card of a page: null if it has none, `unknown` if its subject does not exist. */
export type CardFinder = (path: string, client: Client) => Promise<Card | 'unknown' | null>

/**
 * Registers `GET /card/<page>/<part>/<key>.jpg`: the card of a page, drawn at the first request. The key is a hash of the content, so cards
 * can be cached forever. Redirects an outdated key to the current card, and a failure to the thumbnail.
 */
export function registerCards(
  app: FastifyInstance,
  { reads }: Pick<Context, 'reads'>,
  { current, renderers }: { current: CardFinder; renderers: CardRenderers },
): void {
  const cachedCards = new KeptCards()
  const draw = async ({ contentKey, texts }: Card) => {
    const thumbnail = await findLargestThumbnail(reads, contentKey)
    return thumbnail && renderers.draw(thumbnail, texts)
  }
  app.get<{ Params: { page: string; part: string; file: string } }>(
    '/card/:page/:part/:file',
    async (request, reply) => {
      const { page, part, file } = request.params
      const [, hex] = /^([0-9a-f]{64})\.jpg$/.exec(file) ?? []
      if (!hex) throw invalid('request-invalid', "Request the image at the URL in the page's metadata")
      reply.headers({
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'cross-origin',
      })
      const path = `/${page}/${part}`
      const found = await cachedCards.find(path, hex)
      if (found) return send(reply, found)
      const card = await current(path, clientOf(request))
      if (card === 'unknown') throw missing('content-missing', 'Page not found')
      reply.header('cache-control', `public, max-age=${INSTEAD_SECONDS}`)
      if (!card) return reply.redirect('/card.png')
      if (hexOf(card) !== hex) return reply.redirect(cardPath(card))
      const body = await cachedCards.add(card, draw)
      return body ? send(reply, body) : reply.redirect(`/preview/${card.inscriptionId}/1024`)
    },
  )
}

const hexOf = ({ key }: Card) => Buffer.from(key).toString('hex')

const send = (reply: FastifyReply, body: Buffer) =>
  reply.header('cache-control', IMMUTABLE).type('image/jpeg').send(body)

/** Cards in memory or being drawn, at most one per page. */
class KeptCards {
  private readonly bySubject = new Map<string, { hex: string; body: Promise<Buffer | null> }>()

  find(subject: string, hex: string): Promise<Buffer | null> | null {
    const cached = this.bySubject.get(subject)
    return cached?.hex === hex ? cached.body : null
  }

  /** Draws a card, which replaces the page's previous one. Concurrent requests share one drawing. */
  async add(card: Card, draw: (card: Card) => Promise<Buffer | null>): Promise<Buffer | null> {
    const { subject } = card
    const found = this.find(subject, hexOf(card))
    if (found) return found
    const entry = { hex: hexOf(card), body: draw(card) }
    this.bySubject.delete(subject)
    this.bySubject.set(subject, entry)
    if (this.bySubject.size > MAX_KEPT) this.bySubject.delete(this.bySubject.keys().next().value!)
    let body: Buffer | null = null
    try {
      body = await entry.body
    } finally {
      if (!body && this.bySubject.get(subject) === entry) this.bySubject.delete(subject)
    }
    return body
  }
}
