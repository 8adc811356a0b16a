import { setTimeout as sleep } from 'node:timers/promises'
import { invalid, missing } from '@ordbook/db/process/errors.ts'
import { type Client, clientOf } from '@ordbook/http/limits/client-key.ts'
import { IMMUTABLE } from '@ordbook/indexer/content/serve.ts'
import type { Context } from '@ordbook/market/context.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Card, cardPath } from './card.ts'
import { askForCard, findCard } from './card-queries.ts'

/** Most cards that wait to be drawn; further ones are not drawn. */
const MOST_WAITING = 100
/** Clients of a process that wait for a card, and how long, in milliseconds. The others get the still at once. */
const MOST_CLIENTS = 16
const PATIENCE = 4000
const LOOK_MILLISECONDS = 200
/** A picture in the place of a card that may come is kept for so many seconds. */
const INSTEAD_SECONDS = 30

/** The card of a page as it is now; null for none, `unknown` for a page about something that is not known here. */
export type CardFinder = (path: string, client: Client) => Promise<Card | 'unknown' | null>

/**
 * `GET /card/<page>/<part>/<key>.jpg`: the card of a page, drawn when it is first asked for. Its key follows from its picture and
 * texts, so it may be kept for good. An address of before, such as that of a former price, leads to the present one. A card that does not come in time is
 * replaced by its still.
 */
export function registerCards(
  app: FastifyInstance,
  context: Pick<Context, 'reads' | 'sql' | 'clock'>,
  current: CardFinder,
): void {
  let clients = 0
  const drawn = async (card: Card): Promise<Uint8Array | null> => {
    await askForCard(context.sql, card, { most: MOST_WAITING, now: context.clock() })
    if (clients >= MOST_CLIENTS) return null
    clients++
    try {
      return await waitFor(context, card.key)
    } finally {
      clients--
    }
  }
  app.get<{ Params: { page: string; part: string; file: string } }>(
    '/card/:page/:part/:file',
    async (request, reply) => {
      const { page, part, file } = request.params
      const [, hex] = /^([0-9a-f]{64})\.jpg$/.exec(file) ?? []
      if (!hex) throw invalid('request-invalid', 'Ask for a card at the address that its page names')
      reply.headers({
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'cross-origin',
      })
      const kept = await findCard(context.reads, Buffer.from(hex, 'hex'))
      if (kept?.body) return send(reply, kept.body)
      const card = await current(`/${page}/${part}`, clientOf(request))
      if (card === 'unknown') throw missing('content-missing', 'There is no page of that address here')
      reply.header('cache-control', `public, max-age=${INSTEAD_SECONDS}`)
      if (!card) return reply.redirect('/card.png')
      if (Buffer.from(card.key).toString('hex') !== hex) return reply.redirect(cardPath(card))
      const body = await drawn(card)
      return body ? send(reply, body) : reply.redirect(`/preview/${card.inscriptionId}/1024`)
    },
  )
}

const send = (reply: FastifyReply, body: Uint8Array) =>
  reply.header('cache-control', IMMUTABLE).type('image/jpeg').send(Buffer.from(body))

/** A card once it is drawn; null where it cannot be, or not in time. */
async function waitFor({ sql }: Pick<Context, 'sql'>, key: Uint8Array): Promise<Uint8Array | null> {
  for (const end = performance.now() + PATIENCE; performance.now() < end; ) {
    const found = await findCard(sql, key)
    if (found?.state !== 'waiting') return found?.body ?? null
    await sleep(LOOK_MILLISECONDS)
  }
  return null
}
