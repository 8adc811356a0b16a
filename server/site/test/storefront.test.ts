import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { acceptOffer, bid, buy, delist, offer } from '@ordbook/sdk/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket, type TestTrader } from '../../../e2e/support/market.ts'
import { coinsOf, offering, selling } from '../../../e2e/support/offers.ts'
import { signInAtStorefront, type Visit, visit as visitAt } from '../../../e2e/support/storefront.ts'

const market = setUpMarket()
let seller: TestTrader
let buyer: TestTrader
let origin: string
beforeAll(async () => {
  origin = market.server.url
  seller = await market.trader()
  buyer = await market.trader()
})

const visit = (path: string, how: Visit = {}) => visitAt(origin, path, how)
const read = async (path: string, how: Visit = {}) => {
  const { status, body } = await visit(`/web/v1${path}`, how)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** Returns the names of a collection's items, read in pages of two. */
async function walk(slug: string, query: string): Promise<string[]> {
  const page = await read(`/collections/${slug}/items?${query}&limit=2`)
  const names = page.items.map((item: { name: string }) => item.name)
  let { nextCursor } = page.pagination
  while (nextCursor) {
    const next = await read(`/collections/${slug}/items?${query}&limit=2&cursor=${nextCursor}`)
    names.push(...next.items.map((item: { name: string }) => item.name))
    nextCursor = next.pagination.nextCursor
  }
  return names
}

/** Creates a collection with traits: Hat alternates between Cap and None, Number is unique. */
async function withTraits(count: number) {
  const { slug, ids } = await market.collection(seller.wallet, count)
  const folder = join(market.dataDir, `traits-${slug}`)
  mkdirSync(join(folder, slug), { recursive: true })
  writeFileSync(
    join(folder, slug, 'meta.json'),
    JSON.stringify({ name: `Named ${slug}`, slug, description: 'with traits' }),
  )
  writeFileSync(
    join(folder, slug, 'inscriptions.json'),
    JSON.stringify(
      ids.map((id, n) => ({
        id,
        meta: {
          name: `Item ${n}`,
          attributes: [
            { trait_type: 'Hat', value: n % 3 === 0 ? 'Cap' : 'None' },
            { trait_type: 'Number', value: String(n) },
          ],
        },
      })),
    ),
  )
  await loadCollections(market.sql, folder, { now: new Date() })
  return { slug, ids }
}

describe('reads', () => {
  it('listHoldings finds items beyond the first page', async () => {
    const holder = await market.trader()
    const { slug: first } = await market.collection(holder.wallet, 1)
    await market.collection(holder.wallet, 24)
    const path = `/holdings/${holder.wallet.ordinalsAddress}?limit=1`
    for (const filter of [`slug=${first}`, `q=${first}`]) {
      const begun = await read(`${path}&${filter}`)
      expect(begun.holdings, filter).toEqual([])
      expect(begun.pagination.hasNext).toBe(true)
      const ended = await read(`${path}&${filter}&cursor=${begun.pagination.nextCursor}`)
      expect(ended.holdings).toMatchObject([{ collectionSlug: first }])
      expect(ended.pagination).toEqual({ pageSize: 1, hasNext: false, nextCursor: null })
    }
    const all: string[] = []
    for (let cursor = ''; ; ) {
      const page = await read(`${path}0${cursor && `&cursor=${cursor}`}`)
      all.push(...page.holdings.map((holding: { inscriptionId: string }) => holding.inscriptionId))
      if (!page.pagination.hasNext) break
      cursor = page.pagination.nextCursor
    }
    expect(new Set(all).size).toBe(25)
    expect(all).toHaveLength(25)
  })

  it('private data requires a session', async () => {
    expect(await read('/market')).toMatchObject({
      chain: 'regtest',
      testWallets: false,
      fiat: null,
      contentUrl: origin,
      explorerUrl: null,
    })
    expect((await read('/listings')).listings).toBeInstanceOf(Array)
    expect((await read('/sales')).sales).toBeInstanceOf(Array)
    expect((await read('/trading')).proposals).toBeInstanceOf(Array)
    // A wallet's private data requires a session.
    for (const path of ['/me', '/me/offers', '/proposals', '/acceptances', '/matching-proposals'])
      expect((await visit(`/web/v1${path}`)).status, path).toBe(401)
    const { walletBindingId } = seller
    expect((await visit(`/web/v1/coins?walletBindingId=${walletBindingId}`)).status).toBe(401)
    // The API accepts neither anonymous requests nor cookies.
    const { cookie } = await signInAtStorefront(origin, seller.wallet)
    expect((await visit('/api/v1/listings')).status).toBe(401)
    expect((await visit('/api/v1/listings', { cookie })).status).toBe(401)
    expect((await visit('/web/v1/me', { cookie })).status).toBe(200)
    const mine = await read(`/coins?walletBindingId=${walletBindingId}`, { cookie })
    expect(mine.totalSats).toBe(
      mine.coins.reduce((sum: number, coin: { valueSats: number }) => sum + coin.valueSats, 0),
    )
    expect((await visit(`/web/v1/coins?walletBindingId=${buyer.walletBindingId}`, { cookie })).status).toBe(
      403,
    )
  })

  it('browseItems applies every filter', async () => {
    const { slug, ids } = await withTraits(7)
    for (const [n, id] of ids.slice(0, 4).entries())
      await listAll(market, seller, slug, [id], 20_000 + n * 1000)
    const { collections } = await read(`/collections?q=${slug.slice(5)}`)
    expect(collections).toMatchObject([
      { slug, name: `Named ${slug}`, itemCount: 7, listedCount: 4, floorSats: 20_000, ownerCount: 1 },
    ])
    for (const sort of ['volume', 'floor', 'listed', 'owners', 'name'])
      expect((await read(`/collections?sort=${sort}&limit=100`)).collections.length).toBeGreaterThan(0)
    const found = await read(`/collections/${slug}`)
    expect(found).toMatchObject({ description: 'with traits', topOfferSats: null })
    const items = async (query: string) => {
      const page = await read(`/collections/${slug}/items?${query}`)
      return { total: page.total, names: page.items.map((item: { name: string }) => item.name) }
    }
    const traits = (value: unknown) => `traits=${encodeURIComponent(JSON.stringify(value))}`
    const hats = async (query: string) => {
      const page = await read(`/collections/${slug}/traits?${query}`)
      return page.traits.find((trait: { type: string }) => trait.type === 'Hat').values
    }
    const all = [
      { value: 'None', count: 4, floorSats: 21_000 },
      { value: 'Cap', count: 3, floorSats: 20_000 },
    ]
    expect(await hats('')).toEqual(all)
    // Counts of a trait's values depend on all filters except the trait's own.
    expect(await hats(traits([{ type: 'Hat', values: ['Cap'] }]))).toEqual(all)
    const numbers = traits([{ type: 'Number', values: ['0', '1', '2'] }])
    expect(await hats(`${numbers}&minSats=20500`)).toEqual([
      { value: 'None', count: 2, floorSats: 21_000 },
      { value: 'Cap', count: 0, floorSats: null },
    ])
    expect((await hats('listed=true')).map((hat: { count: number }) => hat.count)).toEqual([2, 2])
    expect((await hats('q=Item%205')).map((hat: { count: number }) => hat.count)).toEqual([1, 0])
    expect(await items('sort=price')).toEqual({
      total: 7,
      names: expect.arrayContaining(['Item 0', 'Item 6']),
    })
    expect((await items('sort=price')).names.slice(0, 4)).toEqual(['Item 0', 'Item 1', 'Item 2', 'Item 3'])
    expect((await items('sort=price-desc')).names.slice(0, 4)).toEqual([
      'Item 3',
      'Item 2',
      'Item 1',
      'Item 0',
    ])
    expect((await items('sort=recent&listed=true')).names).toEqual(['Item 3', 'Item 2', 'Item 1', 'Item 0'])
    expect((await items('sort=newest&limit=2')).names).toEqual(['Item 6', 'Item 5'])
    expect((await items('sort=rarity')).names.toSorted()).toEqual((await items('sort=oldest')).names)
    expect(await items(`sort=oldest&${traits([{ type: 'Hat', values: ['Cap'] }])}`)).toEqual({
      total: 3,
      names: ['Item 0', 'Item 3', 'Item 6'],
    })
    const both = traits([
      { type: 'Hat', values: ['Cap', 'None'] },
      { type: 'Number', values: ['3', '4'] },
    ])
    expect((await items(`sort=oldest&${both}`)).names).toEqual(['Item 3', 'Item 4'])
    expect((await items('minSats=21000&maxSats=22000')).names).toEqual(['Item 1', 'Item 2'])
    expect((await items('q=Item%205')).names).toEqual(['Item 5'])
    expect((await items('satribute=uncommon')).total).toBe(0)
    // An offer on the whole collection is not an offer on an item.
    await bid(buyer, slug, {
      target: { kind: 'all' },
      priceSats: 15_000,
      coins: (await coinsOf(market, buyer)).slice(1),
    })
    expect(await items('sort=recent&offered=true')).toEqual({ total: 0, names: [] })
    await offer(buyer, slug, await offering(market, buyer, [ids[5]!, ids[2]!], 12_000))
    expect((await items('sort=number&offered=true')).names).toEqual(['Item 2', 'Item 5'])
    expect(await items('offered=true&listed=true')).toEqual({ total: 1, names: ['Item 2'] })
    expect((await hats('offered=true')).map((hat: { count: number }) => hat.count)).toEqual([2, 0])
    // Pages return the same order, and a cursor is valid only for its filter.
    const walked: string[] = []
    let cursor = ''
    do {
      const page = await read(`/collections/${slug}/items?sort=price&limit=3${cursor}`)
      walked.push(...page.items.map((item: { name: string }) => item.name))
      cursor = page.pagination.nextCursor ? `&cursor=${page.pagination.nextCursor}` : ''
    } while (cursor)
    expect(walked).toEqual((await items('sort=price')).names)
    // Unlisted items come last, by number.
    expect(walked.slice(4)).toEqual(['Item 4', 'Item 5', 'Item 6'])
    for (const sort of ['price-desc', 'recent', 'number', 'oldest', 'newest', 'rarity'])
      for (const filter of ['', '&listed=true', '&minSats=21000', '&q=Item'])
        expect(await walk(slug, `sort=${sort}${filter}`), sort + filter).toEqual(
          (await items(`sort=${sort}${filter}`)).names,
        )
    const first = await read(`/collections/${slug}/items?sort=price&limit=3`)
    const wrong = `/web/v1/collections/${slug}/items?sort=recent&limit=3&cursor=${first.pagination.nextCursor}`
    expect((await visit(wrong)).status).toBe(400)
    for (const bad of ['traits=nonsense', traits([1]), traits([{ type: 'Hat' }]), traits({}), 'minSats=-1'])
      expect((await visit(`/web/v1/collections/${slug}/items?${bad}`)).status, bad).toBe(400)
    expect((await visit('/web/v1/collections/unknown')).status).toBe(404)
    expect((await visit('/web/v1/collections/unknown/items')).status).toBe(404)
    const history = await read(`/collections/${slug}/history?days=7`)
    expect(history.floor.at(-1)).toMatchObject({ sats: 20_000 })
  })

  it('browseItems sorts equal prices by listing time', async () => {
    const { slug, ids } = await withTraits(6)
    const [first, second] = [ids.slice(0, 2), ids.slice(2, 4)]
    await listAll(market, seller, slug, first, 30_000)
    await listAll(market, seller, slug, second, 30_000)
    const path = `/collections/${slug}/items`
    const readItems = async (query = '') => (await read(`${path}${query}`)).items
    const idsOf = (items: { inscriptionId: string }[]) => items.map((item) => item.inscriptionId)
    const byPrice = idsOf(await readItems())
    expect(byPrice.slice(0, 2).toSorted()).toEqual(second.toSorted())
    expect(byPrice.slice(2, 4).toSorted()).toEqual(first.toSorted())
    expect(byPrice.slice(4)).toEqual(ids.slice(4))
    expect(idsOf(await readItems('?sort=price-desc'))).toEqual([
      ...byPrice.slice(0, 4).toReversed(),
      ...ids.slice(4),
    ])
    const names = (await readItems()).map((each: { name: string }) => each.name)
    expect(await walk(slug, 'sort=price')).toEqual(names)
    const compare = async () => {
      const { items } = await seller.client.call('listCollectionInscriptions', {
        params: { slug },
        query: { limit: 48 },
      })
      const grid = await readItems('?sort=oldest')
      expect(grid.map(({ rank, preview, ...item }: { rank: number; preview: null }) => item)).toEqual(items)
      expect(grid.map((each: { rank: number; preview: null }) => [each.rank > 0, each.preview])).toEqual(
        Array(6).fill([true, null]),
      )
    }
    await compare()
    // Rendered rows are now cached; a change invalidates only the affected rows.
    const [rows] = await market.sql<{ kept: number }[]>`
      select count(rendered_row) as kept from collection_items join collections using (collection_id) where slug = ${slug}`
    expect(rows!.kept).toBe(6)
    await listAll(market, seller, slug, [ids[5]!], 29_000)
    expect(idsOf(await readItems())[0]).toBe(ids[5])
    await compare()
    expect((await read(`${path}?listed=true`)).total).toBe(5)
    expect((await read(`${path}?minSats=30000`)).total).toBe(4)
  })

  it('browseItems sorts unindexed items by name', async () => {
    const names = ['Bird #10', 'Bird #9', 'Bird', 'Bird #100', 'Bird #1']
    const folder = join(market.dataDir, 'birds')
    mkdirSync(join(folder, 'birds'), { recursive: true })
    writeFileSync(join(folder, 'birds', 'meta.json'), JSON.stringify({ name: 'Birds', slug: 'birds' }))
    const list = names.map((name) => ({ id: `${randomBytes(32).toString('hex')}i0`, meta: { name } }))
    writeFileSync(join(folder, 'birds', 'inscriptions.json'), JSON.stringify(list))
    await loadCollections(market.sql, folder, { now: new Date() })
    for (const sort of ['price', 'recent', 'number'])
      expect(await walk('birds', `sort=${sort}`), sort).toEqual([
        'Bird #1',
        'Bird #9',
        'Bird #10',
        'Bird #100',
        'Bird',
      ])
    expect(await walk('birds', 'sort=oldest')).toEqual(names)
    expect((await read('/collections/birds/items?q=%2310')).total).toBe(2)
  })

  it("listBestBids omits the visitor's own bids", async () => {
    const { slug, ids } = await withTraits(2)
    const [id, other] = ids as [string, string]
    const unknown = `${randomBytes(32).toString('hex')}i0`
    const { items } = await read(`/items?inscriptionIds=${other},${unknown},${id}`)
    expect(items).toMatchObject([
      { inscriptionId: other, name: 'Item 1', collectionSlug: slug, sellerRoyaltyBps: 0 },
      { inscriptionId: id, name: 'Item 0', collectionName: `Named ${slug}` },
    ])
    for (const bad of ['', 'nonsense', `${id},`, Array(21).fill(id).join(',')])
      expect((await visit(`/web/v1/items?inscriptionIds=${bad}`)).status, bad).toBe(400)
    expect(await read(`/carries?inscriptionIds=${id}`)).toEqual({})

    const path = `/best-bids?inscriptionIds=${id}`
    expect((await visit(`/web/v1${path}`)).status).toBe(401)
    const [owner, bidder] = await Promise.all(
      [seller, buyer].map(async ({ wallet }) => ({
        cookie: (await signInAtStorefront(origin, wallet)).cookie,
      })),
    )
    expect(await read(path, owner)).toEqual({ bids: [] })
    await bid(buyer, slug, {
      target: { kind: 'all' },
      priceSats: 40_000,
      coins: await coinsOf(market, buyer),
    })
    const best = (await read(path, owner)).bids[0].bid
    expect(best).toMatchObject({ priceSats: 40_000, collectionSlug: slug })
    expect(best.netSats).toBeLessThan(40_000)
    // A wallet cannot sell to its own bids.
    expect(await read(path, bidder)).toEqual({ bids: [] })
    expect((await read(`/collection/${slug}/collection-offers`)).rows).toMatchObject([{ executable: true }])
    await market.sql`update collection_offers set executable = false where offer_id = ${best.offerId}`
    expect(await read(path, owner)).toEqual({ bids: [] })
  })

  it('activity contains an accepted offer once', async () => {
    const { slug, ids } = await withTraits(1)
    await listAll(market, seller, slug, ids, 90_000)
    const { items } = await offer(buyer, slug, await offering(market, buyer, ids, 60_000))
    const sale = await selling(market, ids[0]!, 60_000)
    const { settlementTxid } = await acceptOffer(seller, items[0]!.offerId, sale)
    const state = () => read(`/settlements/${settlementTxid}`)
    const sold = { inscriptionId: ids[0], name: 'Item 0', collectionSlug: slug, priceSats: 60_000 }
    expect(await state()).toMatchObject({
      kind: 'offer',
      state: 'mempool',
      confirmations: 0,
      items: [sold],
      hasReceipt: false,
    })
    await market.mine()
    const height: number = await market.regtest.call('getblockcount')
    const confirmed = { state: 'confirmed', blockHeight: height, minedAt: expect.any(String), items: [sold] }
    expect(await state()).toMatchObject({ ...confirmed, confirmations: 1 })
    const { activity } = await read(`/activity?inscriptionId=${ids[0]}`)
    const kinds: string[] = activity.map((each: { kind: string }) => each.kind)
    // Block times may be ahead of the clock, so the order is not checked here.
    expect(kinds.toSorted()).toEqual(['inscribed', 'listed', 'sold'])
    expect(kinds.indexOf('sold')).toBeLessThan(kinds.indexOf('listed'))
    const { moves } = await read(`/inscriptions/${ids[0]}`)
    expect(moves[0]).toMatchObject({
      fromAddress: seller.wallet.ordinalsAddress,
      toAddress: buyer.wallet.ordinalsAddress,
      priceSats: 60_000,
    })
  })

  it('a purchase appears in history, holdings and activity', async () => {
    const { slug, ids } = await withTraits(3)
    const [id] = ids
    await listAll(market, seller, slug, [id!, ids[1]!], 30_000)
    const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, [id!]))
    await market.mine()
    expect(await read(`/settlements/${settlementTxid}`)).toMatchObject({
      kind: 'purchase',
      items: [{ inscriptionId: id, priceSats: 30_000 }],
      hasReceipt: true,
    })
    const listed = await seller.client.call('listListings', { query: { inscriptionId: ids[1]! } })
    await delist(seller, slug, [{ inscriptionId: ids[1]!, listingId: listed.listings[0]!.listingId }])
    await offer(seller, slug, await offering(market, seller, [id!], 9000))
    const found = await read(`/inscriptions/${id}`)
    expect(found).toMatchObject({
      name: 'Item 0',
      owner: buyer.wallet.ordinalsAddress,
      collections: [{ slug, traits: [{ type: 'Hat', value: 'Cap', count: 1 }, { type: 'Number' }] }],
      listing: null,
      contentBytes: expect.any(Number),
    })
    // Newest first: from seller to buyer, with the price. The escrow in between is not a holder.
    expect(found.moves[0]).toMatchObject({
      fromAddress: seller.wallet.ordinalsAddress,
      toAddress: buyer.wallet.ordinalsAddress,
      priceSats: 30_000,
      external: false,
    })
    expect(found.moves.slice(1).map((move: { fromAddress: string }) => move.fromAddress)).not.toContain(
      seller.wallet.ordinalsAddress,
    )
    const holdings = await read(`/holdings/${buyer.wallet.ordinalsAddress}?slug=${slug}`)
    expect(holdings.holdings).toMatchObject([
      { inscriptionId: id, name: 'Item 0', topOfferSats: 9000, collectionSlug: slug },
    ])
    const holdsNamed = async (q: string) =>
      (await read(`/holdings/${buyer.wallet.ordinalsAddress}?slug=${slug}&q=${encodeURIComponent(q)}`))
        .holdings.length
    for (const [part, count] of [
      ['TEM 0', 1],
      ['item 1', 0],
      ['%', 0],
    ] as const)
      expect(await holdsNamed(part), part).toBe(count)
    expect((await visit('/web/v1/holdings/nonsense')).status).toBe(400)
    const { activity } = await read(`/activity?slug=${slug}`)
    expect(activity.map((each: { kind: string }) => each.kind).toSorted()).toEqual([
      'delisted',
      'inscribed',
      'inscribed',
      'inscribed',
      'listed',
      'listed',
      'offer',
      'sold',
    ])
    for (const [kind, kinds] of [
      ['sales', ['sold']],
      ['listings', ['delisted', 'listed', 'listed']],
      ['offers', ['offer']],
      ['trades', []],
      ['transfers', ['inscribed', 'inscribed', 'inscribed']],
    ] as const) {
      const some = await read(`/activity?slug=${slug}&kind=${kind}`)
      expect(some.activity.map((each: { kind: string }) => each.kind).toSorted(), kind).toEqual(kinds)
    }
    const of = await read(`/activity?kind=sales&address=${buyer.wallet.ordinalsAddress}`)
    expect(of.activity[0]).toMatchObject({
      kind: 'sold',
      priceSats: 30_000,
      toAddress: buyer.wallet.ordinalsAddress,
    })
    const paged = await read(`/activity?slug=${slug}&limit=4`)
    const rest = await read(`/activity?slug=${slug}&limit=4&cursor=${paged.pagination.nextCursor}`)
    expect([...paged.activity, ...rest.activity]).toEqual(activity)
    expect((await read(`/search?q=${id}`)).inscriptions).toMatchObject([{ inscriptionId: id }])
    expect((await read(`/search?q=${slug}`)).collections).toMatchObject([{ slug }])
    const unknown = randomBytes(32).toString('hex')
    expect((await visit(`/web/v1/inscriptions/${unknown}i0`)).status).toBe(404)
    const noTrade = await visit(`/web/v1/settlements/${unknown}`)
    expect([noTrade.status, noTrade.body.code]).toEqual([404, 'trade-unknown'])
  })
})

/** Returns the path of the script that a document loads. */
const scriptIn = (html: string) => /import\("(\/assets\/[^"]+\.js)"\)/.exec(html)![1]!

describe('pages', () => {
  it('pages have a strict CSP', async () => {
    const page = await fetch(`${origin}/how`, { headers: { accept: 'text/html' } })
    expect(page.status).toBe(200)
    const policy = page.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    const html = await page.text()
    // The CSP allows inline scripts and styles only by their hashes.
    for (const element of ['script', 'style']) {
      const hashes = [...html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))].map(
        ([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`,
      )
      expect(hashes.length, element).toBeGreaterThan(0)
      expect(policy.split('; ')).toContain(`${element}-src 'self' ${hashes.join(' ')}`)
    }
    const script = scriptIn(html)
    const asset = await fetch(`${origin}${script}`, { headers: { 'accept-encoding': 'br' } })
    expect(asset.headers.get('cache-control')).toContain('immutable')
    expect(asset.headers.get('content-encoding')).toBe('br')
    // Unknown paths return 404, and so do pages of unknown collections.
    for (const path of ['/nowhere', '/collection/any'])
      for (const accept of ['text/html', 'application/json', '*/*'])
        expect((await fetch(`${origin}${path}`, { headers: { accept } })).status, path).toBe(404)
    expect((await fetch(`${origin}/api/v1/nowhere`, { headers: { accept: 'text/html' } })).status).toBe(404)
  })

  it('pages are compressed with an accepted encoding', async () => {
    const script = scriptIn(await (await fetch(`${origin}/`)).text())
    const request = (path: string, encoding: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(`${origin}${path}`, { method, headers: { 'accept-encoding': encoding, ...headers } })
    const plain = await request(script, 'identity')
    const body = await plain.text()
    expect(plain.headers.get('content-encoding')).toBeNull()
    for (const encoding of ['br', 'gzip']) {
      const packed = await request(script, encoding)
      expect(packed.headers.get('content-encoding')).toBe(encoding)
      expect(packed.headers.get('vary')).toBe('accept-encoding')
      expect(Number(packed.headers.get('content-length'))).toBeLessThan(body.length / 2)
      expect(await packed.text()).toBe(body)
      const again = await request(script, encoding, {
        'if-none-match': packed.headers.get('etag')!,
        'cache-control': 'max-age=0',
      })
      expect(again.status).toBe(304)
    }
    expect((await request(script, 'gzip, deflate, br')).headers.get('content-encoding')).toBe('br')
    const ranged = await request(script, 'identity', { range: 'bytes=0-9' })
    expect([ranged.status, ranged.headers.get('accept-ranges')]).toEqual([200, null])
    expect(await ranged.text()).toBe(body)
    for (const [path, type, cached] of [
      [script, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
      ['/favicon.svg', 'image/svg+xml', 'no-cache'],
      ['/', 'text/html; charset=utf-8', 'no-cache'],
    ] as const) {
      const head = await request(path, 'identity', {}, 'HEAD')
      expect(
        [head.status, head.headers.get('content-type'), head.headers.get('cache-control')],
        path,
      ).toEqual([200, type, cached])
      expect(head.headers.get('content-security-policy'), path).toContain("default-src 'none'")
      expect(head.headers.get('x-content-type-options'), path).toBe('nosniff')
      expect(head.headers.get('referrer-policy'), path).toBe('no-referrer')
      expect(head.headers.get('cross-origin-opener-policy'), path).toBe('same-origin-allow-popups')
      expect(head.headers.get('last-modified'), path).toBeNull()
      expect(await head.text()).toBe('')
    }
    for (const path of ['/assets/none.js', '/assets/', '/assets', '/assets/..%2findex.html', `${script}.br`])
      expect((await request(path, 'br')).status, path).toBe(404)
  })
})
