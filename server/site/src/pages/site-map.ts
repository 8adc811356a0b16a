import type { ServingContext } from '@ordbook/http/context.ts'
import type { FastifyInstance } from 'fastify'
import { listForSale, listSlugs } from './site-map-queries.ts'

const PAGES = ['', 'collections', 'trades', 'activity', 'market', 'how']
/** Maximum URLs of each kind. Two kinds with two URLs per row stay below the limit of 50,000 (sitemaps.org). */
const MAX_ROWS = 10_000
/** Maximum age of a cached sitemap. */
const MILLISECONDS = 3_600_000

/** Registers `GET /sitemap.xml`, with pages of the market, collections and listed items, and `GET /robots.txt`. */
export function registerSiteMap(
  app: FastifyInstance,
  context: Pick<ServingContext, 'reads' | 'responses' | 'clock' | 'publicUrl'>,
): void {
  const { responses, clock, publicUrl } = context
  const age = { 'cache-control': `public, max-age=${MILLISECONDS / 1000}` }
  app.get('/sitemap.xml', async (_request, reply) => {
    const body = await responses.read(['site-map'], clock, () => printSiteMap(context))
    return reply.headers(age).type('text/xml; charset=utf-8').send(body)
  })
  // Search engines run the reads of pages, so /web/ is allowed. /api/ has no pages.
  const robots = `User-agent: *\nDisallow: /api/\nDisallow: /wallet\nDisallow: /inbox\n\nSitemap: ${publicUrl}/sitemap.xml\n`
  app.get('/robots.txt', (_request, reply) =>
    reply.headers(age).type('text/plain; charset=utf-8').send(robots),
  )
}

async function printSiteMap({
  reads,
  clock,
  publicUrl,
}: Pick<ServingContext, 'reads' | 'clock' | 'publicUrl'>) {
  const now = clock()
  const [collections, items] = await Promise.all([
    listSlugs(reads, MAX_ROWS),
    listForSale(reads, now, MAX_ROWS),
  ])
  const paths = [
    ...PAGES,
    ...collections.map(({ slug }) => `collection/${encodeURIComponent(slug)}`),
    ...new Set(items.map(({ inscriptionId }) => `inscription/${inscriptionId}`)),
  ]
  const urls = paths.map((path) => `<url><loc>${publicUrl}/${path}</loc></url>`).join('\n')
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}\n</urlset>\n`
  return { body: Buffer.from(text), tags: [], validUntil: new Date(now.getTime() + MILLISECONDS) }
}
