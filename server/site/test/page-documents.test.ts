import { connect } from '@ordbook/db/driver/connect.ts'
import { insertPreviews, insertThumbnails } from '@ordbook/site/thumbnails/queries.ts'
import { beforeAll, expect, it } from 'vitest'
import { listAll, setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'
import { visit } from '../../../e2e/support/storefront.ts'

/** Rate limit of reads. Embedded responses count toward it. */
const READS_A_MINUTE = 40

const market = setUpMarket({
  RATE_LIMITS: 'on',
  TRUST_PROXY: '1',
  RATE_LIMIT_WEB_READS: `${READS_A_MINUTE}/${READS_A_MINUTE}`,
})
const seller = setUpTrader(market)
let slug: string
let ids: string[]
beforeAll(async () => {
  ;({ slug, ids } = await market.collection(seller.wallet, 3))
  await market.anchors(4)
  await listAll(market, seller, slug, [ids[0]!], 50_000)
})

let clients = 0
const freshClient = () => ({ 'x-forwarded-for': `198.51.100.${++clients}` })

async function documentAt(path: string, headers: Record<string, string> = freshClient()) {
  const response = await fetch(`${market.server.url}${path}`, {
    headers: { accept: 'text/html', ...headers },
  })
  const text = await response.text()
  const data = /<script id="first" type="application\/json">(.*?)<\/script>/s.exec(text)?.[1]
  const { since, reads } = JSON.parse(data ?? 'null') as {
    since: string | null
    reads: [[id: string, input: unknown], answer: unknown][]
  }
  const ids = reads.map(([[id]]) => id)
  return { response, text, since, reads: reads.filter(([[id]]) => id !== 'getStatus'), ids }
}

const read = async (path: string) =>
  (await visit(market.server.url, `/web/v1${path}`, { headers: freshClient() })).body

it('documents embed the responses of their page', async () => {
  const market = await read('/market')
  const home = await documentAt('/')
  expect(home.reads).toEqual([
    [['browseCollections', { query: { sort: 'volume' } }], await read('/collections?sort=volume')],
    [['getMarket', {}], market],
    [['listActivity', { query: { kind: 'sales', limit: 8 } }], await read('/activity?kind=sales&limit=8')],
    // Without sales, the newest items.
    [['listFreshItems', { query: { of: 'inscribed' } }], await read('/fresh-items?of=inscribed')],
  ])
  const collection = await documentAt(`/collection/${slug}`)
  expect(collection.reads).toEqual([
    [
      ['browseItems', { params: { slug }, query: { sort: 'price' } }],
      await read(`/collections/${slug}/items?sort=price`),
    ],
    [['getCollection', { params: { slug } }], await read(`/collections/${slug}`)],
    [['getMarket', {}], market],
  ])
  const item = await documentAt(`/inscription/${ids[0]}`)
  expect(item.reads).toEqual([
    [['getCollection', { params: { slug } }], await read(`/collections/${slug}`)],
    [['getInscription', { params: { id: ids[0] } }], await read(`/inscriptions/${ids[0]}`)],
    [['getMarket', {}], market],
    [['listCarries', { query: { inscriptionIds: ids[0] } }], await read(`/carries?inscriptionIds=${ids[0]}`)],
  ])
  const wallet = await documentAt('/wallet')
  expect(wallet.ids).toEqual(['getMarket', 'getStatus'])
  for (const page of [home, collection, item, wallet]) {
    expect(page.response.headers.get('content-security-policy')).toMatch(/script-src 'self' 'sha256-[^;]+; /)
    expect(page.text).toMatch(
      /<link data-rel="modulepreload" crossorigin href="\/assets\/[\w-]+\.js"><\/head>/,
    )
  }
})

it('no event is missed after a document is rendered', async () => {
  const { since } = await documentAt('/')
  await listAll(market, seller, slug, [ids[1]!], 60_000)
  const events = await fetch(`${market.server.url}/events?since=${since}`, {
    signal: AbortSignal.timeout(10_000),
  })
  const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(ids[1]!)) text += (await reader.read()).value ?? ''
  expect(text).toContain('event: hello')
  await reader.cancel()
})

it('documents omit unknown data', async () => {
  expect((await documentAt('/collection/unknown')).ids).toEqual(['getMarket', 'getStatus'])
  expect((await documentAt(`/collection/${'x'.repeat(300)}`)).ids).toEqual(['getMarket', 'getStatus'])
  expect((await documentAt('/inscription/nonsense')).ids).toEqual(['getMarket', 'getStatus'])
  expect((await documentAt('/nowhere')).ids).toEqual([])
  // All tabs have the same banner, and the page reads filtered items itself.
  expect((await documentAt(`/collection/${slug}?tab=offers`)).ids).toContain('browseItems')
  expect((await documentAt(`/collection/${slug}?listed=true`)).ids).toEqual([
    'getCollection',
    'getMarket',
    'getStatus',
  ])
})

/** Returns link preview tags, requested like a crawler does. */
async function previewOf(path: string, method = 'GET') {
  const response = await fetch(`${market.server.url}${path}`, {
    method,
    headers: { accept: '*/*', 'user-agent': 'Twitterbot/1.0', ...freshClient() },
  })
  const text = await response.text()
  const tag = (name: string) =>
    new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)">`).exec(text)?.[1]
  const [title, description, picture] = ['og:title', 'og:description', 'og:image'].map(tag)
  const about = /<script type="application\/ld\+json">([^<]*)<\/script>/.exec(text)?.[1]
  const data = about === undefined ? null : JSON.parse(about)
  return { status: response.status, text, title, description, picture, url: tag('og:url'), data }
}

it('documents have link previews', async () => {
  const { url } = market.server
  expect(await previewOf(`/collection/${slug}`)).toMatchObject({
    status: 200,
    title: `${slug}: floor 0.0005 BTC`,
    description: expect.stringMatching(/^Not verified\. 3 items, \d listed from 0\.0005 BTC, 1 owner\./),
    url: `${url}/collection/${slug}`,
  })
  const item = await previewOf(`/inscription/${ids[0]}`)
  expect(item).toMatchObject({
    status: 200,
    title: `${slug} #0, ${slug}`,
    description: expect.stringMatching(
      /^For sale at 0\.0005 BTC, collection floor 0\.0005 BTC\. Inscription [\d,]+\.$/,
    ),
  })
  expect(item.text).toContain(`<title>${item.title}</title>`)
  for (const path of [
    '/',
    '/collections',
    '/trades',
    '/trades/new',
    '/activity',
    '/market',
    '/how',
    '/wallet',
  ])
    expect(await previewOf(path)).toMatchObject({ status: 200, picture: `${url}/card.png` })
  const titles = await Promise.all(
    [
      '/',
      '/collections',
      '/trades',
      '/trades/new',
      '/activity',
      '/market',
      '/how',
      '/wallet',
      `/address/${slug}`,
    ].map(async (path) => (await previewOf(path)).title),
  )
  expect(new Set(titles).size).toBe(titles.length)
  for (const picture of new Set([`${url}/card.png`, item.picture!])) {
    const answer = await fetch(picture)
    expect([answer.status, answer.headers.get('content-type')], picture).toEqual([200, 'image/png'])
  }
  expect(await previewOf('/how', 'HEAD')).toMatchObject({ status: 200, text: '' })
})

it('documents describe items in JSON-LD', async () => {
  const { url } = market.server
  const name = '</script><script>alert("1")</script>'
  await market.sql`update collection_items set item_name = ${name}, rendered_row = null where inscription_id = ${ids[0]!}`
  const item = await previewOf(`/inscription/${ids[0]}`)
  expect(item.data).toEqual({
    '@context': 'https://schema.org',
    '@type': 'Product',
    url: `${url}/inscription/${ids[0]}`,
    name,
    description: item.description,
    sku: ids[0],
    category: slug,
    offers: {
      '@type': 'Offer',
      price: '0.0005',
      priceCurrency: 'BTC',
      availability: 'https://schema.org/InStock',
    },
  })
  expect(item.text).not.toContain(name)
  expect(await previewOf(`/collection/${slug}`)).toMatchObject({
    data: {
      '@type': 'Collection',
      name: slug,
      collectionSize: 3,
      offers: { '@type': 'AggregateOffer', lowPrice: '0.0005', priceCurrency: 'BTC' },
    },
  })
  expect((await previewOf('/how')).data).toBeNull()
})

it('link previews show the thumbnail of an item', async () => {
  const contentKey = Buffer.alloc(32, 7)
  await insertPreviews(market.sql, [{ inscriptionId: ids[2]!, contentKey, kind: 'text' }], new Date())
  const thumbnails = [{ size: 1024, body: Buffer.from('RIFF') }]
  await insertThumbnails(market.sql, contentKey, { thumbnails, placeholder: null, now: new Date() })
  const { picture, data } = await previewOf(`/inscription/${ids[2]}`)
  expect(picture).toBe(`${market.server.url}/preview/${ids[2]}/1024`)
  expect(data.image).toBe(picture)
  expect((await fetch(picture!)).headers.get('content-type')).toBe('image/webp')
})

it('the sitemap lists collections and listed items', async () => {
  const { url } = market.server
  const get = async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers: freshClient() })
    expect(response.status, path).toBe(200)
    return { type: response.headers.get('content-type'), text: await response.text() }
  }
  const robots = await get('/robots.txt')
  expect(robots.type).toBe('text/plain; charset=utf-8')
  expect(robots.text).toContain(`Sitemap: ${url}/sitemap.xml`)
  const map = await get('/sitemap.xml')
  expect(map.type).toBe('text/xml; charset=utf-8')
  const places = [...map.text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, place]) => place!.replace(url, ''))
  for (const path of ['/', '/how', `/collection/${slug}`, `/inscription/${ids[0]}`])
    expect(places).toContain(path)
  // The item is not for sale.
  expect(places).not.toContain(`/inscription/${ids[2]}`)
  for (const path of places) expect((await previewOf(path)).status, path).toBe(200)
  expect((await get('/')).text).toContain('<link rel="manifest" href="/manifest.webmanifest"')
  const manifest = await get('/manifest.webmanifest')
  expect(manifest.type).toMatch(/^application\/manifest\+json/)
  for (const { src, type } of JSON.parse(manifest.text).icons) expect((await get(src)).type, src).toBe(type)
})

it('serves the icons that browsers request without a link', async () => {
  const { url } = market.server
  for (const [path, type] of [
    ['/favicon.ico', /^image\/(x-icon|vnd\.microsoft\.icon)/],
    ['/apple-touch-icon.png', /^image\/png/],
  ] as const) {
    const response = await fetch(`${url}${path}`, { headers: freshClient() })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(type),
    ])
    expect((await response.arrayBuffer()).byteLength, path).toBeLessThan(6000)
  }
})

it('returns no page for a missing file', async () => {
  const { url } = market.server
  for (const path of [
    '/apple-touch-icon-precomposed.png',
    '/wp-login.php',
    '/assets/old-1234.js',
    '/a/b.css?c=d',
  ]) {
    const headers = { accept: 'text/html', 'sec-fetch-dest': 'document', ...freshClient() }
    const response = await fetch(`${url}${path}`, { headers })
    expect(response.status, path).toBe(404)
    expect((await response.text()).length, path).toBeLessThan(1000)
  }
})

it('documents return 404 for unknown paths', async () => {
  const unknown = 'ab'.repeat(32)
  for (const path of [
    '/collection/unknown',
    `/collection/${'x'.repeat(300)}`,
    `/inscription/${unknown}i0`,
    '/inscription/nonsense',
    `/receipt/${unknown}`,
    '/trades/00000000-0000-4000-8000-000000000000',
    '/trades/nonsense',
    '/nowhere',
  ]) {
    const page = await fetch(`${market.server.url}${path}`, {
      headers: { accept: 'text/html', ...freshClient() },
    })
    expect([page.status, page.headers.get('content-type')], path).toEqual([404, 'text/html; charset=utf-8'])
  }
})

it('documents of unknown items and collections have a title', async () => {
  expect(await previewOf('/collection/unknown')).toMatchObject({ status: 404, title: 'Collection not found' })
  expect(await previewOf(`/inscription/${'ab'.repeat(32)}i0`)).toMatchObject({
    status: 404,
    title: 'Inscription not found',
  })
})

it('embedded responses count toward the rate limit', async () => {
  const headers = freshClient()
  const answered = []
  for (let n = 0; n < READS_A_MINUTE / 2; n++) answered.push((await documentAt('/', headers)).ids)
  expect(answered[0]).toEqual([
    'browseCollections',
    'getMarket',
    'getStatus',
    'listActivity',
    'listFreshItems',
  ])
  // The status has a separate rate limit.
  expect(answered.at(-1)).toEqual(['getStatus'])
  expect((await visit(market.server.url, '/web/v1/market', { headers })).status).toBe(429)
})

it('searches are rate-limited per client', async () => {
  const headers = freshClient()
  const find = async (n: number, by = headers) =>
    (await visit(market.server.url, `/web/v1/search?q=lamp${n}`, { headers: by })).status
  const statuses = await Promise.all(Array.from({ length: READS_A_MINUTE + 20 }, (_, n) => find(n)))
  expect(statuses.filter((status) => status === 200)).toHaveLength(READS_A_MINUTE)
  expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  expect(await find(0, freshClient())).toBe(200)
})

it('documents are served while the database hangs', async () => {
  const sql = connect(market.databaseUrl, { max: 1 })
  try {
    const page = await sql.begin(async (tx) => {
      await tx`lock table collections in access exclusive mode`
      return documentAt(`/collection/${slug}`)
    })
    expect(page.response.status).toBe(200)
    // Items are cached in memory, so the locked table is not needed.
    expect(page.ids).toEqual(['browseItems', 'getMarket', 'getStatus'])
  } finally {
    await sql.end()
  }
})
