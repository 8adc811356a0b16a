import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exampleOf } from '@ordbook/contract/example.ts'
import { GUIDE } from '@ordbook/contract/guide.ts'
import { operations } from '@ordbook/contract/index.ts'
import type { Operation } from '@ordbook/contract/operation.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import { validators } from '@ordbook/http/operations/operations.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import {
  acceptCounter,
  acceptOffer,
  bid,
  buy,
  cancelBid,
  cancelOffer,
  counter,
  declineBids,
  delist,
  fill,
  list,
  offer,
  rejectCounter,
  rejectOffer,
} from '@ordbook/sdk/index.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  escrowsOf,
  moveEscrows,
  reclaim,
  relist,
  strand,
} from '../../../e2e/escrows/support/escrow-market.ts'
import {
  agreementFor,
  keyHolder,
  listAll,
  setUpMarket,
  setUpTrader,
  startMarket,
  type TestMarket,
  type TestTrader,
  until,
} from '../../../e2e/support/market.ts'
import { coinsOf, countered, offering, selling } from '../../../e2e/support/offers.ts'

const market = setUpMarket()
const reader = setUpTrader(market)

const request = async (path: string, init: RequestInit = {}, token: string | null = reader.client.token) => {
  const headers = { ...(token ? { authorization: `Bearer ${token}` } : {}), ...init.headers }
  const response = await fetch(`${market.base}${path}`, { ...init, headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null }
}

/** Calls every operation for offers once. */
async function tradeByOffers(
  market: TestMarket,
  seller: TestTrader,
  buyer: TestTrader,
  slug: string,
  listedId: string,
  id: string,
): Promise<void> {
  const params = { id }
  const offers = async () =>
    (await offer(buyer, slug, await offering(market, buyer, [id], 90_000))).items[0]!.offerId
  await cancelOffer(buyer, { id, offerId: await offers() })
  await rejectOffer(seller, { id, offerId: await offers() })
  const parent = await offers()
  const answer = await counter(seller, parent, await selling(market, id, 95_000))
  for (const view of ['owned', 'sent', 'history'] as const)
    for (const trader of [seller, buyer]) await trader.client.call('listMyOffers', { query: { view } })
  await buyer.client.call('listInscriptionOffers', { params })
  await buyer.client.call('listInscriptionOfferHistory', { params, query: { page: 0 } })
  await rejectCounter(buyer, { id, offerId: answer.offerId })
  const second = await counter(seller, parent, await selling(market, id, 96_000))
  await acceptCounter(buyer, second.offerId, await countered(market, buyer, id, 96_000))
  await market.mine()
  // The buyer sells it back.
  const made = await offer(seller, slug, await offering(market, seller, [id], 50_000))
  await acceptOffer(buyer, made.items[0]!.offerId, await selling(market, id, 50_000))
  await market.mine()

  const target = { kind: 'all' } as const
  const coins = await coinsOf(market, buyer)
  await buyer.client.call('previewCollectionOfferTarget', { params: { slug }, body: { target } })
  await buyer.client.call('previewCollectionOfferReplacementWarning', {
    params: { slug },
    body: { walletBindingId: buyer.walletBindingId, target, priceSats: 40_000, spendableUtxos: coins },
  })
  const gone = await bid(buyer, slug, { target, priceSats: 40_000, coins })
  await buyer.client.call('listCollectionOfferBook', { params: { slug } })
  await buyer.client.call('listMySentCollectionOffers', { params: { slug } })
  await declineBids(seller, listedId)
  await declineBids(seller, listedId, false)
  await cancelBid(buyer, slug, gone.offers[0]!.offerId)
  const open = await bid(buyer, slug, { target, priceSats: 40_000, coins })
  const filled = await fill(
    seller,
    slug,
    open.offers[0]!.offerId,
    await selling(market, listedId, 40_000, 250),
  )
  await buyer.client.call('getEligibility', { params: { txid: filled.settlementTxid } })
  await buyer.client.call('getMarketKeys')
}

/** Calls every escrow operation after a replaced purchase. */
async function leaveEscrow(market: TestMarket, seller: TestTrader) {
  const { trader: attacker, keys } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await market.anchors(8)
  await listAll(market, seller, slug, ids, 20_000)
  await strand(market, attacker, keys.payment, slug, ids)
  await market.mine()
  const [one, other] = await until('two escrows', async () => {
    const found = await escrowsOf(seller)
    return found.length === 2 && found.every((each) => each.state === 'resting') && found
  })
  await relist(seller, [{ ...one!, priceSats: 30_000 }])
  await moveEscrows(market, seller, [one!], 'wallet')
  await reclaim(seller, [other!])
}

describe('responses', () => {
  it('responses match the OpenAPI document', async () => {
    const seller = await market.trader()
    const buyer = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 3)
    // e2e/support/served-document.ts checks each response. This test checks that every operation was called.
    const calledOperations = new Set<string>()
    for (const trader of [seller, buyer, reader]) {
      const call = trader.client.call.bind(trader.client)
      trader.client.call = (async (id: keyof typeof operations, input: any) => {
        const answer = await call(id, input)
        calledOperations.add(id)
        return answer
      }) as typeof trader.client.call
    }
    const { ordinalsAddress, paymentAddress } = reader.wallet
    const { authRequestId, challenges } = await reader.client.call('createAuthChallenge', {
      body: { ordinalsAddress, paymentAddress },
    })
    const verifications = await Promise.all(
      challenges.map(async ({ challengeId, address, message }) => ({
        challengeId,
        address,
        signature: await reader.wallet.signMessage(address, message),
      })),
    )
    await reader.client.call('verifyAuthChallenge', { body: { authRequestId, verifications } })
    await reader.client.call('getMe')
    const listed = await listAll(market, seller, slug, ids, 70_000)
    await delist(seller, slug, [{ inscriptionId: ids[2]!, listingId: listed.get(ids[2]!)! }])
    const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
    await reader.client.call('getOrder', { params: { listingId: listed.get(ids[2]!)! } })
    await reader.client.call('getStatus')
    await reader.client.call('getReceipt', { params: { txid: settlementTxid } })
    await reader.client.call('listCollectionInscriptions', { params: { slug } })
    await market.mine()
    await reader.client.call('listCollectionInscriptions', { params: { slug } })
    await reader.client.call('listCollectionFloorStats', { query: { slugs: slug } })
    await reader.client.call('listSales', { query: {} })
    await reader.client.call('listTradeProposals', { query: {} })
    await tradeByOffers(market, seller, buyer, slug, ids[1]!, ids[2]!)
    await leaveEscrow(market, seller)
    expect([...calledOperations].toSorted()).toEqual(Object.keys(operations).toSorted())
  }, 180_000)

  it('responses have CORS and cache headers', async () => {
    for (const path of ['/me', '/nothing', '/listings']) {
      const { headers } = await request(path)
      expect(headers.get('access-control-allow-origin')).toBe('*')
      const preflight = await request(
        path,
        {
          method: 'OPTIONS',
          headers: { origin: 'https://example.org', 'access-control-request-method': 'POST' },
        },
        null,
      )
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST, OPTIONS')
      expect(preflight.headers.get('access-control-allow-headers')).toBe(
        'authorization, content-type, idempotency-key',
      )
    }
    expect((await request('/trading')).headers.get('cache-control')).toBe('private, no-store')
  })

  it.each([
    ['GET', '/nothing', undefined, 404],
    ['DELETE', '/me', undefined, 405],
    ['POST', '/me', '{}', 405],
    ['GET', '/listings?limit=0', undefined, 400],
    ['GET', '/listings?limit=101', undefined, 400],
    ['GET', '/listings?limit=ten', undefined, 400],
    ['GET', '/listings?limit=1.5', undefined, 400],
    ['GET', '/listings?limit=1e999', undefined, 400],
    ['GET', '/listings?limit=NaN', undefined, 400],
    ['GET', '/listings?limit=', undefined, 400],
    ['GET', '/listings?sort=cheapest', undefined, 400],
    ['GET', '/listings?cursor=', undefined, 400],
    ['GET', '/listings?cursor=nonsense', undefined, 400],
    ['GET', '/listings?collectionSlug=a%20b', undefined, 400],
    ['GET', '/listings?collectionSlug=UNKNOWN', undefined, 200],
    ['GET', '/listings?inscriptionId=xyz', undefined, 400],
    ['GET', '/listings?sellerAddress=nobody', undefined, 400],
    ['GET', '/listings?unknown=1', undefined, 200],
    ['GET', '/sales?collectionSlug=', undefined, 400],
    ['GET', '/sales?collectionSlug=unknown', undefined, 200],
    ['GET', '/trading?collectionSlug=unknown', undefined, 200],
    ['GET', '/trading?collectionSlug=a%2Fb', undefined, 400],
    ['GET', '/trading?cursor=abc', undefined, 400],
    ['GET', '/collection-stats/floors', undefined, 400],
    ['GET', '/collection-stats/floors?slugs=', undefined, 400],
    ['GET', '/collection-stats/floors?slugs=a,,b', undefined, 400],
    ['GET', `/collection-stats/floors?slugs=${Array(101).fill('a').join()}`, undefined, 400],
    ['GET', `/collection-stats/floors?slugs=${Array(100).fill('a').join()}`, undefined, 200],
    ['GET', '/collection/unknown/inscriptions', undefined, 404],
    ['GET', '/collection/a%20b/inscriptions', undefined, 400],
    ['POST', '/auth/challenge', '{"ordinalsAddress":"a","paymentAddress":"b","more":1}', 400],
    [
      'POST',
      '/auth/challenge',
      '{"ordinalsAddress":"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq","paymentAddress":"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"}',
      400,
    ],
    ['POST', '/auth/challenge', '[]', 400],
    ['POST', '/auth/challenge', '{', 400],
    ['POST', '/auth/challenge', '', 400],
    [
      'POST',
      '/collection/unknown/listings/delist',
      '{"walletBindingId":"00000000-0000-4000-8000-000000000000","listings":[]}',
      400,
    ],
    ['POST', '/collection/unknown/purchases/preflight', '{}', 400],
  ])('%s %s returns the documented status', async (method, path, body, status) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await request(path, { method, headers, ...(body === undefined ? {} : { body }) })
    expect(answer.status).toBe(status)
    if (status !== 200) expect(Object.keys(answer.body)).toEqual(['error', 'code', 'retryable', 'docsUrl'])
  })

  it('the API rejects oversized bodies', async () => {
    const post = (type: string, body: string) =>
      request('/auth/challenge', { method: 'POST', headers: { 'content-type': type }, body })
    expect((await post('text/plain', '{}')).status).toBe(400)
    expect(
      (await post('application/json', JSON.stringify({ a: 'x'.repeat(4.5 * 1024 * 1024) }))).status,
    ).toBe(413)
  })

  it('the API documents need no token', async () => {
    for (const base of [market.base, market.server.url]) {
      const openapi = await fetch(`${base}/openapi.json`)
      expect(await openapi.json()).toMatchObject({ openapi: '3.1.0' })
      const llms = await (await fetch(`${base}/llms.txt`)).text()
      for (const id of Object.keys({ ...operations, ...webOperations })) expect(llms).toContain(`(${id})`)
      // One page per area, with all operations, fields and statuses.
      const pages = [...llms.matchAll(/\((http:[^)]+\.md)\)/g)].map(([, url]) => url!)
      const text = (await Promise.all(pages.map(async (url) => (await fetch(url)).text()))).join('\n')
      for (const { id, answer, statuses } of Object.values<Operation>({ ...operations, ...webOperations })) {
        expect(text).toContain(`Operation id: \`${id}\``)
        for (const name of Object.keys((answer as { properties?: object }).properties ?? {}))
          expect(text).toMatch(new RegExp(`\\| \`${name}\\??\` \\|`))
        for (const status of statuses) expect(text).toContain(`| ${status} | `)
      }
      expect((await fetch(`${base}/docs/nothing.md`)).status).toBe(404)
      for (const { page } of Object.values(GUIDE))
        expect(llms).toMatch(
          new RegExp(`^- \\[.+\\]\\(http.+/docs/${page}\\.md\\): .+\\. Updated [0-9-]{10}\\.$`, 'm'),
        )
    }
  })

  it.each(['/docs', '/docs/listings', '/docs/errors'])('%s has a date and a Markdown form', async (path) => {
    const html = await fetch(`${market.server.url}${path}`)
    const [, link] = /^<([^>]+)>; rel="alternate"; type="text\/markdown"$/.exec(html.headers.get('link')!)!
    const markdown = await fetch(`${market.server.url}${link}`)
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    const [, date] = /^# .+\n\nUpdated ([0-9-]{10})\.$/m.exec(await markdown.text())!
    for (const { headers } of [html, markdown])
      expect(headers.get('last-modified')).toBe(new Date(date!).toUTCString())
    expect(await html.text()).toContain(`<p>Updated ${date}.</p>`)
  })

  it('examples match their schemas', () => {
    const { strict } = validators()
    for (const { id, params, query, body, answer } of Object.values<Operation>({
      ...operations,
      ...webOperations,
    }))
      for (const schema of [params, query, body, answer])
        if (schema) {
          const validate = strict.compile(schema)
          expect(validate(exampleOf(schema)), `${id}: ${strict.errorsText(validate.errors)}`).toBe(true)
        }
  })

  it('the API limits requests per profile', async () => {
    const limited = await startMarket({ RATE_LIMITS: 'on' })
    try {
      const trader = await limited.trader()
      const statuses = []
      for (let i = 0; i < 31; i++) {
        const response = await fetch(`${limited.base}/me`, {
          headers: { authorization: `Bearer ${trader.client.token}` },
        })
        statuses.push(response.status)
        if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      expect(statuses).toEqual([...Array(30).fill(200), 429])
      const { ordinalsAddress, paymentAddress } = trader.wallet
      const challenge = async () =>
        (
          await fetch(`${limited.base}/auth/challenge`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ ordinalsAddress, paymentAddress }),
          })
        ).status
      const challenges = []
      for (let i = 0; i < 5; i++) challenges.push(await challenge())
      expect(challenges).toEqual([200, 200, 200, 200, 429])
    } finally {
      await limited.stop()
    }
  })
})

describe('order book', () => {
  it('the feed sorts and filters listings', async () => {
    const seller = await market.trader()
    const buyer = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 5)
    const prices = [30_000, 10_000, 20_000, 10_000, 50_000]
    const listingIds: string[] = []
    for (const [i, id] of ids.entries()) {
      const { listings } = await list(
        seller,
        slug,
        [{ inscriptionId: id, priceSats: prices[i]!, coin: await market.coinOf(id), maxFeeBps: 100 }],
        i === 0 ? 7 : undefined,
      )
      listingIds.push(listings[0]!.listingId)
    }
    const book = async (query: object) =>
      (await reader.client.call('listListings', { query: { collectionSlug: slug.toUpperCase(), ...query } }))
        .listings
    expect((await book({})).map((each) => each.listingId)).toEqual(listingIds.toReversed())
    const byPrice = await book({ sort: 'price' })
    expect(byPrice.map((each) => each.priceSats)).toEqual([10_000, 10_000, 20_000, 30_000, 50_000])
    expect(byPrice.slice(0, 2).map((each) => each.listingId)).toEqual([listingIds[3], listingIds[1]])
    expect(await book({ sellerAddress: buyer.wallet.ordinalsAddress })).toEqual([])
    expect(await book({ inscriptionId: ids[2]! })).toHaveLength(1)
    const [first] = await book({ inscriptionId: ids[0]! })
    expect(Date.parse(first!.listingExpiresAt!) - Date.parse(first!.listedAt)).toBe(7 * 86_400_000)
    const floors = async () =>
      (await reader.client.call('listCollectionFloorStats', { query: { slugs: `unknown,${slug}` } })).data
    expect(await floors()).toMatchObject([
      { slug, floor: 10_000, listedCount: 5, ownerCount: 1, oneDayChange: null, sevenDayChange: null },
    ])

    await delist(seller, slug, [{ inscriptionId: ids[3]!, listingId: listingIds[3]! }])
    const bought = await buy(buyer, slug, await agreementFor(market, buyer, [ids[1]!]))
    expect(await floors()).toMatchObject([{ floor: 20_000, listedCount: 3, ownerCount: 1 }])
    const state = async (n: number) =>
      (await reader.client.call('listCollectionInscriptions', { params: { slug }, query: {} })).items[n]!
    expect(await state(1)).toMatchObject({
      listingState: 'hidden_locked',
      priceSats: 10_000,
      price: 0.0001,
      lastSale: null,
    })
    expect(await state(3)).toMatchObject({ listingState: null, listingId: null, priceSats: null })
    await market.mine()
    expect(await state(1)).toMatchObject({
      listingState: null,
      lastSale: 0.0001,
      owner: buyer.wallet.ordinalsAddress,
      locationTxid: bought.settlementTxid,
    })
    expect(await floors()).toMatchObject([{ ownerCount: 2 }])
    // A relisting replaces the listing.
    await list(seller, slug, [
      { inscriptionId: ids[4]!, priceSats: 5_000, coin: await market.coinOf(ids[4]!), maxFeeBps: 100 },
    ])
    expect((await book({ inscriptionId: ids[4]! })).map((each) => each.priceSats)).toEqual([5_000])
    const events =
      await market.sql`select from_state, to_state from order_events where listing_id = ${listingIds[1]!} order by event_id`
    expect([...events]).toMatchObject([
      { fromState: null, toState: 'buyable' },
      { fromState: 'buyable', toState: 'hidden_locked' },
      { fromState: 'hidden_locked', toState: 'sold' },
    ])
  })

  it('expired orders release their coins', async () => {
    const seller = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const listed = await listAll(market, seller, slug, ids, 20_000)
    const listingId = listed.get(ids[0]!)!
    await market.sql`update listings set expires_at = now() where listing_id = ${listingId}`
    expect(
      (await reader.client.call('listListings', { query: { inscriptionId: ids[0]! } })).listings,
    ).toEqual([])
    for (let elapsed = 0; elapsed < 10_000; elapsed += 100) {
      const [row] = await market.sql<
        { state: string }[]
      >`select state from listings where listing_id = ${listingId}`
      if (row!.state === 'expired') break
      await new Promise((done) => setTimeout(done, 100))
    }
    const [row] = await market.sql<{ state: string; retired: boolean }[]>`
      select l.state, c.retired from listings l join market_coins c on c.reserved_for = l.anchor_utxo_id where listing_id = ${listingId}`
    expect(row).toEqual({ state: 'expired', retired: true })
  })
})

describe('pages', () => {
  it('pages contain every row once', async () => {
    const seller = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 12)
    await listAll(market, seller, slug, ids, 15_000)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 14 }),
        fc.constantFrom('oldest', 'newest'),
        async (limit, sort) => {
          const seen = []
          for await (const item of reader.client.inscriptions(slug, {
            limit,
            sort: sort as 'oldest' | 'newest',
          }))
            seen.push(item.inscriptionId)
          expect(seen).toEqual(sort === 'oldest' ? ids : ids.toReversed())
          for (const bookSort of ['recent', 'price'] as const) {
            const rows: string[] = []
            for (let cursor: string | undefined; ; ) {
              const { listings, pagination } = await reader.client.call('listListings', {
                query: { collectionSlug: slug, limit, sort: bookSort, ...(cursor ? { cursor } : {}) },
              })
              rows.push(...listings.map((listing) => listing.inscriptionId))
              expect(pagination.pageSize).toBe(listings.length)
              expect(pagination.hasNext).toBe(pagination.nextCursor !== null)
              if (!pagination.nextCursor) break
              cursor = pagination.nextCursor
            }
            expect(rows.toSorted()).toEqual(ids.toSorted())
          }
        },
      ),
      { numRuns: 15 },
    )
  })

  it('an invalid cursor returns 400', async () => {
    const { slug } = await market.collection(reader.wallet, 3)
    const { pagination } = await reader.client.call('listCollectionInscriptions', {
      params: { slug },
      query: { limit: 1 },
    })
    const cursor = pagination.nextCursor!
    const status = async (path: string) => (await request(path)).status
    expect(await status(`/collection/${slug}/inscriptions?cursor=${cursor}`)).toBe(200)
    expect(await status(`/collection/${slug}/inscriptions?cursor=${cursor}&limit=2`)).toBe(200)
    expect(await status(`/collection/${slug}/inscriptions?cursor=${cursor}&sort=newest`)).toBe(400)
    expect(await status(`/listings?cursor=${cursor}`)).toBe(400)
    const other = (letter: string) => (letter === 'A' ? 'B' : 'A')
    for (const at of [0, cursor.length - 1]) {
      const forged = `${cursor.slice(0, at)}${other(cursor[at]!)}${cursor.slice(at + 1)}`
      expect(await status(`/collection/${slug}/inscriptions?cursor=${forged}`), forged).toBe(400)
    }
  })
})

describe('proposals', () => {
  it('the sales feed contains each sale once', async () => {
    const { sql } = market
    const { slug, ids } = await market.collection(reader.wallet, 3)
    const other = await market.collection(reader.wallet, 1)
    const [collection] = await sql<
      { collectionId: string }[]
    >`select collection_id as "collectionId" from collections where slug = ${slug}`
    const { collectionId } = collection!
    const propose = async (
      created: string,
      more: { visibility?: string; expires?: string; state?: string } = {},
    ) => {
      const id = randomUUID()
      await sql.begin(async (sql) => {
        await sql`
        insert into proposals (proposal_id, creator_script, visibility, state, offered_btc_sats, requested_btc_sats,
          marketplace_fee_sats, created_at, expires_at)
        values (${id}, ${reader.wallet.ordinalsScript}, ${more.visibility ?? 'public'}, ${more.state ?? 'active'}, 1000, 2000, 0,
          ${created}, ${more.expires ?? '2100-01-01'})`
        await sql`insert into proposal_items (proposal_id, position, inscription_id) values (${id}, 0, ${ids[0]!})`
        await sql`
        insert into proposal_requests (request_id, proposal_id, position, collection_id, quantity, target)
        values (${randomUUID()}, ${id}, 0, ${collectionId}, 1, ${sql.json({ kind: 'inscriptions', inscriptionIds: [ids[1]!] })})`
      })
      return id
    }
    const same = '2026-01-02T03:04:05.678Z'
    const shown = [await propose(same), await propose(same), await propose('2026-01-01')]
    await propose('2026-01-03', { visibility: 'private' })
    await propose('2026-01-03', { state: 'cancelled' })
    await propose('2026-01-03', { expires: '2026-01-04' })
    const expected = [...shown.slice(0, 2).toSorted().toReversed(), shown[2]]
    const walk = []
    for (let cursor: string | undefined; ; ) {
      const { proposals, pagination, filterCollection } = await reader.client.call('listTradeProposals', {
        query: { collectionSlug: slug, limit: 1, ...(cursor ? { cursor } : {}) },
      })
      expect(filterCollection).toMatchObject({ slug })
      expect(pagination.pageSize).toBe(1)
      walk.push(...proposals)
      if (!pagination.nextCursor) break
      cursor = pagination.nextCursor
    }
    expect(walk.map((each) => each.id)).toEqual(expected)
    expect(walk[0]).toMatchObject({
      creatorAddress: reader.wallet.ordinalsAddress,
      visibility: 'public',
      status: 'active',
      estimatedOfferedValueSats: 1000,
      estimatedRequestedValueSats: 2000,
      offeredItems: [{ inscriptionId: ids[0], inscriptionUtxoValueSats: 10_000, collection: { slug } }],
      wantedLegs: [
        {
          quantity: 1,
          collection: { slug },
          specificItems: [{ inscriptionId: ids[1] }],
          estimatedUnitValueSats: null,
        },
      ],
    })
    const none = await reader.client.call('listTradeProposals', { query: { collectionSlug: other.slug } })
    expect(none).toMatchObject({
      proposals: [],
      filterCollection: { slug: other.slug },
      pagination: { pageSize: 50, hasNext: false },
    })
    expect(
      (await reader.client.call('listTradeProposals', { query: { collectionSlug: 'unknown' } }))
        .filterCollection,
    ).toBeNull()
  })
})

describe('imports', () => {
  it('the import reports invalid rows', async () => {
    const folder = join(market.dataDir, 'registry')
    const write = (name: string, meta: unknown, items: unknown) => {
      mkdirSync(join(folder, name), { recursive: true })
      const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
      writeFileSync(join(folder, name, 'meta.json'), text(meta))
      writeFileSync(join(folder, name, 'inscriptions.json'), text(items))
    }
    const id = (n: number) => `${n.toString(16).padStart(64, '0')}i0`
    write('Mixed-Case', { name: 'Mixed', slug: 'Mixed-Case' }, [
      {
        id: id(1),
        meta: {
          name: 'One',
          attributes: [
            { trait_type: 'Hat', value: 7 },
            { trait_type: '', value: 'x' },
            { trait_type: 'Eyes', value: '' },
            'odd',
          ],
        },
      },
      { id: id(1), meta: { name: 'Again' } },
      { id: id(2) },
      { id: 'nonsense' },
      17,
      { id: id(3), meta: { name: '', attributes: {} } },
      { id: id(4), meta: { name: 'Four', attributes: [{ trait_type: 'Hat', value: '7' }] } },
    ])
    write('shares', { name: 'Shares', slug: 'shares' }, [{ id: id(1), meta: { name: 'One here' } }])
    write('broken', { name: 'Broken', slug: 'broken' }, '[{"id":')
    write('empty', { name: 'Empty', slug: 'empty' }, '')
    write('bad-slug', { name: 'Bad', slug: '🐸' }, [])
    write('🐸', { name: '🐸', slug: '🐸' }, [{ id: id(5) }])
    const report = await loadCollections(market.sql, folder, { now: new Date() })
    expect(report).toMatchObject({
      collections: 2,
      items: 5,
      refused: ['bad-slug', 'broken', 'empty', '🐸'],
      stored: { items: 5, kept: 0, unknown: 5 },
    })
    const where = report.problems.map(({ kind, file, position }) => `${kind} ${file} ${position}`.trim())
    expect(where).toEqual([
      'trait-invalid Mixed-Case/inscriptions.json [0].meta.attributes[1]',
      'trait-invalid Mixed-Case/inscriptions.json [0].meta.attributes[2]',
      'trait-invalid Mixed-Case/inscriptions.json [0].meta.attributes[3]',
      'id-repeated Mixed-Case/inscriptions.json [1].id',
      'id-invalid Mixed-Case/inscriptions.json [3].id',
      'id-invalid Mixed-Case/inscriptions.json [4].id',
      'name-invalid Mixed-Case/inscriptions.json [5].meta.name',
      'slug-changed Mixed-Case/meta.json slug',
      'list-empty bad-slug/inscriptions.json',
      'file-invalid broken/inscriptions.json',
      'file-invalid empty/inscriptions.json',
      'slug-invalid 🐸/meta.json slug',
    ])
    const read = async () =>
      (await reader.client.call('listCollectionInscriptions', { params: { slug: 'MIXED-case' } })).items
    const items = await read()
    expect(items.map((item) => [item.inscriptionId, item.name])).toEqual([
      [id(1), 'One'],
      [id(2), 'Mixed #3'],
      [id(3), 'Mixed #6'],
      [id(4), 'Four'],
    ])
    expect(items[0]).toMatchObject({
      collections: ['mixed-case', 'shares'],
      traits: [{ type: 'Hat', value: '7', count: 2, percentage: 50 }],
      owner: null,
    })
    expect(await loadCollections(market.sql, folder, { now: new Date() })).toEqual({ ...report, changed: 0 })
    expect(await read()).toEqual(items)
  })
})

describe('content', () => {
  it('content is served in a sandbox', async () => {
    const body = new TextEncoder().encode('<script>parent.location="https://example.org"</script>')
    const [id] = await market.regtest.inscribe([
      {
        inscription: { contentType: 'text/html;charset=utf-8', body },
        owner: reader.wallet.ordinalsScript,
        postageSats: 546,
      },
    ])
    await market.server.sync()
    const response = await fetch(`${market.server.url}/content/${id}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html;charset=utf-8')
    expect(response.headers.get('content-security-policy')).toMatch(
      /^sandbox allow-scripts; default-src 'none'/,
    )
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(body)
    expect((await fetch(`${market.server.url}/content/${'0'.repeat(64)}i0`)).status).toBe(404)
  })
})
