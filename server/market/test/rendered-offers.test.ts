import { operations } from '@ordbook/contract/index.ts'
import { serialize, validators } from '@ordbook/http/operations/operations.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { bid, counter, offer } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'
import { coinsOf, offering, selling } from '../../../e2e/support/offers.ts'

/** Rendered rows of offers and collection offers are updated when their sources change. */
const market = setUpMarket()
const seller = setUpTrader(market)
const buyer = setUpTrader(market)
let slug: string
let id: string
beforeAll(async () => {
  const collection = await market.collection(seller.wallet, 2)
  slug = collection.slug
  id = collection.ids[0]!
  await offer(buyer, slug, await offering(market, buyer, collection.ids, 100_000))
  await bid(buyer, slug, {
    target: { kind: 'all' },
    priceSats: 50_000,
    coins: await coinsOf(market, buyer),
  })
})

const views = {
  owned: () => seller.client.call('listMyOffers', { query: { view: 'owned' } }),
  sent: () => buyer.client.call('listMyOffers', { query: { view: 'sent' } }),
  history: () => buyer.client.call('listMyOffers', { query: { view: 'history' } }),
  live: () => seller.client.call('listInscriptionOffers', { params: { id } }),
  ended: () => seller.client.call('listInscriptionOfferHistory', { params: { id } }),
  book: () => seller.client.call('listCollectionOfferBook', { params: { slug } }),
  own: () => buyer.client.call('listMySentCollectionOffers', { params: { slug } }),
}
type View = keyof typeof views
const names = Object.keys(views) as View[]
const readAll = async () =>
  Object.fromEntries(
    await Promise.all(names.map(async (view) => [view, await views[view]()] as const)),
  ) as Record<View, any>
const differences = () => checkRollups({ ...market.server.context, sql: market.sql })
const missing = async () =>
  (
    await market.sql<{ count: number }[]>`
      select count(*) as count from (
        select rendered_row from offers union all select rendered_row from collection_offers) each
      where rendered_row is null`
  )[0]!.count

it('returns equal responses from tables and rendered rows', async () => {
  await market.sql`update offers set rendered_row = null, rendered_version = rendered_version + 1`
  await market.sql`update collection_offers set rendered_row = null, rendered_version = rendered_version + 1`
  const rendered = await readAll()
  expect(await missing()).toBe(0)
  expect(await readAll()).toEqual(rendered)
  expect(await differences()).toEqual([])
  const schemas = {
    owned: operations.listMyOffers,
    sent: operations.listMyOffers,
    history: operations.listMyOffers,
    live: operations.listInscriptionOffers,
    ended: operations.listInscriptionOfferHistory,
    book: operations.listCollectionOfferBook,
    own: operations.listMySentCollectionOffers,
  }
  for (const view of names) {
    const { answer } = schemas[view]
    expect([view, validators().strict.compile(answer)(rendered[view])]).toEqual([view, true])
    // The serializer omits members that the schema does not contain.
    expect(JSON.parse(serialize(answer, rendered[view]))).toEqual(rendered[view])
  }
  expect(rendered.owned.groups).toHaveLength(2)
  expect(rendered.sent.rows).toHaveLength(2)
  expect(rendered.history.events).toHaveLength(2)
  expect(rendered.live.offers).toHaveLength(1)
  expect(rendered.ended.offers).toHaveLength(1)
  expect(rendered.book.rows).toHaveLength(1)
  expect(rendered.own.rows).toEqual([{ ...rendered.book.rows[0], actionBindingId: buyer.walletBindingId }])
})

it('updates rendered rows when a collection changes', async () => {
  await readAll()
  await market.sql`update collections set name = 'Renamed', image_rendering_hint = 'pixelated' where slug = ${slug}`
  const { owned, sent, book } = await readAll()
  expect(owned.groups.map((group: any) => group.collectionName)).toEqual(['Renamed', 'Renamed'])
  expect(sent.rows[0].collectionName).toBe('Renamed')
  expect(book.rows[0].sampleInscription.imageRenderingHint).toBe('pixelated')
  expect(await differences()).toEqual([])
})

it('updates rendered rows when an inscription is reindexed', async () => {
  await readAll()
  await market.sql`update inscription_rows set content_type = 'image/avif', inscription_number = 77 where inscription_id = ${id}`
  await market.sql`update collection_offers set sample_inscription_id = ${id}, rendered_row = null`
  const { owned, history, book } = await readAll()
  const group = owned.groups.find((row: any) => row.inscriptionId === id)
  expect(group).toMatchObject({ contentType: 'image/avif', inscriptionNumber: '77' })
  expect(group.offers[0]).toMatchObject({ contentType: 'image/avif', inscriptionNumber: '77' })
  const event = history.events.find((row: any) => row.inscriptionId === id)
  expect(event.inscriptionNumber).toBe('77')
  await market.sql`update inscription_rows set content_type = 'image/png' where inscription_id = ${id}`
  expect(book.rows[0].sampleInscription.previewContentType).toBe('image/avif')
  expect((await readAll()).book.rows[0].sampleInscription.previewContentType).toBe('image/png')
  expect(await differences()).toEqual([])
})

it('returns executable false if the seller receives nothing', async () => {
  await readAll()
  // Change the amounts too, so that the jobs do not reset `executable`.
  const differenceSats = 1_000_000_000
  await market.sql`update offers set executable = false, receive_sats = receive_sats - ${differenceSats}`
  await market.sql`update collection_offers set executable = false, receive_sats = receive_sats - ${differenceSats}`
  const { owned, sent, live, book } = await readAll()
  expect([owned.groups[0].offers[0], sent.rows[0], live.offers[0], book.rows[0]]).toEqual(
    Array(4).fill(expect.objectContaining({ executable: false })),
  )
  await market.sql`update offers set executable = true, receive_sats = receive_sats + ${differenceSats}`
  await market.sql`update collection_offers set executable = true, receive_sats = receive_sats + ${differenceSats}`
  expect((await readAll()).book.rows[0].executable).toBe(true)
  expect(await differences()).toEqual([])
})

it('returns a counter-offer only to buyer and seller', async () => {
  const stranger = await market.trader()
  const received = (await readAll()).live.offers[0]
  await counter(seller, received.id, await selling(market, id, 120_000))
  for (let time = 0; time < 2; time++) {
    const kinds = []
    for (const { client } of [seller, buyer, stranger]) {
      const live = await client.call('listInscriptionOffers', { params: { id } })
      const ended = await client.call('listInscriptionOfferHistory', { params: { id } })
      kinds.push([...live.offers, ...ended.offers].map(({ kind }) => kind).sort())
    }
    const both = ['buyer_offer', 'buyer_offer', 'seller_counter', 'seller_counter']
    expect(kinds).toEqual([both, both, ['buyer_offer', 'buyer_offer']])
    const { owned, sent } = await readAll()
    expect(owned.groups.find((row: any) => row.inscriptionId === id).sentCounters).toHaveLength(1)
    expect(sent.rows.filter((row: any) => row.actionKind === 'buyer_received_counter')).toHaveLength(1)
  }
})

it('checkRollups reports rows that differ from their source', async () => {
  await readAll()
  await market.sql`update offers set rendered_row = replace(rendered_row, 'Renamed', 'Other')`
  await market.sql`update collection_offers set rendered_row = replace(rendered_row, 'Collection', 'Other')`
  expect(await differences()).toEqual([
    { where: 'offers', what: 'rendered rows', rows: 3 },
    { where: 'collection offers', what: 'rendered rows', rows: 1 },
  ])
})

it('omits an expired offer from active offers', async () => {
  const expired = (await readAll()).live.offers.find((row: any) => row.kind === 'buyer_offer')
  await market.sql`update offers set expires_at = now() - interval '1 second' where offer_id = ${expired.id}`
  const { live, ended, history } = await readAll()
  const isExpired = (row: any) => row.id === expired.id || row.offerId === expired.id
  expect(live.offers.filter(isExpired)).toEqual([])
  expect(ended.offers.find(isExpired).status).toBe('expired')
  expect(history.events.find(isExpired).status).toBe('expired')
})
