import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { listActivity as activityOperation } from '@ordbook/contract/storefront/market.ts'
import type { search as searchOperation } from '@ordbook/contract/storefront/search.ts'
import { invalid } from '@ordbook/db/process/errors.ts'
import type { CursorCodec } from '@ordbook/http/operations/cursor.ts'
import type { Context } from '@ordbook/market/context.ts'
import type { FastifyInstance } from 'fastify'
import { getCollection } from '../collections/collections.ts'
import { listActivity } from '../inscription/inscription.ts'
import { search } from '../search/search.ts'
import { scriptOf } from '../wallet/wallet.ts'
import { printAtom } from './atom.ts'

const ENTRIES = 50
/** Maximum age of a cached feed. */
const MILLISECONDS = 60_000
const MAX_SEARCH = 100

type Activity = AnswerOf<typeof activityOperation>['activity']
type Filter = QueryOf<typeof activityOperation>

const TITLES: Record<Activity[number]['kind'], string> = {
  listed: 'Listed',
  delisted: 'Delisted',
  expired: 'Listing expired',
  sold: 'Sold',
  invalidated: 'Listing ended',
  offer: 'Offer',
  offer_ended: 'Offer ended',
  trade: 'Traded',
  transfer: 'Transferred',
  inscribed: 'Inscribed',
}

interface Feed {
  title: string
  path: string
  activity: Activity
}

/**
 * Registers Atom feeds of public activity: `/feeds/collection/SLUG.atom`, `/feeds/address/ADDRESS.atom` and
 * `/feeds/search.atom?q=TEXT`.
 */
export function registerFeeds(app: FastifyInstance, context: Context, cursors: CursorCodec): void {
  const { responses, clock, publicUrl, config } = context
  const read = async (query: Filter): Promise<Activity> => {
    const call = { session: null, params: {}, query: { ...query, limit: ENTRIES } }
    const page = await listActivity(context, cursors, call as Parameters<typeof listActivity>[2])
    const answer: AnswerOf<typeof activityOperation> = Buffer.isBuffer(page)
      ? JSON.parse(page.toString())
      : page
    return answer.activity
  }
  const respond = (self: string, build: () => Promise<Feed>): Promise<Buffer> =>
    responses.read(['atom', self], clock, async () => {
      const { title, path, activity } = await build()
      const text = printAtom({
        title,
        url: `${publicUrl}${path}`,
        self: `${publicUrl}${self}`,
        author: config.marketName,
        entries: activity.map((event) => entryOf(publicUrl, event)),
      })
      return { body: Buffer.from(text), tags: [], validUntil: new Date(clock().getTime() + MILLISECONDS) }
    })
  const headers = {
    'cache-control': `public, max-age=${MILLISECONDS / 1000}`,
    'content-type': 'application/atom+xml; charset=utf-8',
  }
  app.get<{ Params: { slug: string } }>('/feeds/collection/:slug.atom', async ({ params }, reply) => {
    const slug = params.slug.toLowerCase()
    const path = `/collection/${encodeURIComponent(slug)}`
    const body = await respond(`/feeds${path}.atom`, async () => {
      const { name } = await getCollection(context, slug)
      return { title: name, path, activity: await read({ slug }) }
    })
    return reply.headers(headers).send(body)
  })
  app.get<{ Params: { address: string } }>('/feeds/address/:address.atom', async ({ params }, reply) => {
    const { address } = params
    scriptOf(context, address)
    const path = `/address/${encodeURIComponent(address)}`
    const body = await respond(`/feeds${path}.atom`, async () => ({
      title: address,
      path,
      activity: await read({ address }),
    }))
    return reply.headers(headers).send(body)
  })
  app.get<{ Querystring: { q?: unknown } }>('/feeds/search.atom', async ({ query: { q } }, reply) => {
    if (typeof q !== 'string' || q.trim() === '' || q.length > MAX_SEARCH || q.includes('\u0000'))
      throw invalid('request-invalid', `q must be a text of 1 to ${MAX_SEARCH} characters.`)
    const body = await respond(`/feeds/search.atom?q=${encodeURIComponent(q)}`, async () => ({
      title: q,
      path: '/activity',
      activity: await readFound(await search(context, { q }), read),
    }))
    return reply.headers(headers).send(body)
  })
}

/** Returns the activity of the collections that a search found, otherwise of its items. */
async function readFound(
  { collections, inscriptions }: AnswerOf<typeof searchOperation>,
  read: (query: Filter) => Promise<Activity>,
): Promise<Activity> {
  if (collections.length > 0) return read({ slugs: collections.map(({ slug }) => slug).join(',') })
  const found = await Promise.all(inscriptions.map(({ inscriptionId }) => read({ inscriptionId })))
  return found
    .flat()
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, ENTRIES)
}

function entryOf(publicUrl: string, event: Activity[number]) {
  const { kind, at, inscriptionId, inscriptionName, priceSats, txid } = event
  const price = priceSats === null ? '' : ` for ${priceSats} sats`
  const url = `${publicUrl}/inscription/${inscriptionId}`
  return {
    id: `${url}#${[kind, at, txid ?? priceSats ?? ''].join('-')}`,
    title: `${TITLES[kind]}: ${inscriptionName}${price}`,
    url,
    updatedAt: at,
  }
}
