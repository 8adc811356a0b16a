import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, it } from 'vitest'
import { applyEvents } from './apply-events.ts'
import { KINDS, type MarketEvent, marketEvent } from './market-event.ts'

const LAMP = `${'a'.repeat(64)}i0`
const TIDE = `${'b'.repeat(64)}i0`
const LISTING = '00000000-0000-4000-8000-000000000001'

let queries = new QueryClient()
let asked: unknown[] = []
const off: (() => void)[] = []
afterEach(() => {
  for (const end of off.splice(0)) end()
  queries.clear()
  queries = new QueryClient()
  asked = []
})

/** Caches a response and counts its requests. */
function show(queryKey: readonly unknown[], data: object): void {
  queries.setQueryData(queryKey, data)
  const queryFn = async () => {
    asked.push(queryKey[0])
    return data
  }
  const observer = new QueryObserver(queries, { queryKey, queryFn, staleTime: Number.POSITIVE_INFINITY })
  off.push(observer.subscribe(() => {}))
}

const item = (inscriptionId: string, priceSats: number | null = null) => ({
  inscriptionId,
  listingId: priceSats === null ? null : LISTING,
  listingState: priceSats === null ? null : 'buyable',
  priceSats,
  price: priceSats === null ? null : priceSats / 1e8,
  listedAt: null,
})
const itemsKey = (slug: string) => ['browseItems', { params: { slug }, query: {} }, 'pages'] as const
const pagesOf = (...pages: object[]) => ({ pages, pageParams: pages.map(() => '') })
const event = (kind: (typeof KINDS)[number], data: object): MarketEvent =>
  marketEvent(kind, JSON.stringify(data))
const listed = (slug: string, inscriptionId: string, state = 'buyable', priceSats = 70_000) =>
  event('listing', { listingId: LISTING, inscriptionId, state, priceSats, collections: [slug] })

it('ignores a listing in another collection', () => {
  show(['getCollection', { params: { slug: 'lamps' } }], { slug: 'lamps', floorSats: 1, listedCount: 1 })
  show(itemsKey('lamps'), pagesOf({ items: [item(LAMP)], total: 1 }))
  show(['getInscription', { params: { id: LAMP } }], {
    inscriptionId: LAMP,
    collections: [{ slug: 'lamps' }],
  })
  show(['listActivity', { query: { slug: 'lamps' } }, 'pages'], pagesOf({ activity: [] }))
  show(['listActivity', { query: { inscriptionId: LAMP } }, 'pages'], pagesOf({ activity: [] }))
  show(['listHoldings', { params: { address: 'bcrt1' } }, 'pages'], pagesOf({ items: [item(LAMP)] }))
  show(['browseCollections', { query: {} }, 'pages'], pagesOf({ collections: [{ slug: 'lamps' }] }))
  applyEvents(queries, [
    listed('tides', TIDE),
    event('floor', { collections: ['tides'], floorSats: 70_000, listedCount: 1 }),
  ])
  expect(asked).toEqual([])
  expect(queries.getQueryCache().findAll({ stale: true })).toEqual([])
})

it('updates the floor without a request', () => {
  show(['getCollection', { params: { slug: 'lamps' } }], { slug: 'lamps', floorSats: 1, listedCount: 1 })
  const tides = { slug: 'tides', floorSats: 5, listedCount: 2 }
  show(
    ['browseCollections', { query: {} }, 'pages'],
    pagesOf({ collections: [{ slug: 'lamps', floorSats: null, listedCount: 0 }, tides] }),
  )
  show(['getInscription', { params: { id: LAMP } }], { collections: [{ slug: 'lamps', floorSats: 1 }] })
  applyEvents(queries, [event('floor', { collections: ['lamps'], floorSats: 70_000, listedCount: 4 })])
  expect(asked).toEqual([])
  expect(queries.getQueryData(['getCollection', { params: { slug: 'lamps' } }])).toMatchObject({
    floorSats: 70_000,
    listedCount: 4,
  })
  expect(queries.getQueryData(['browseCollections', { query: {} }, 'pages'])).toMatchObject({
    pages: [{ collections: [{ slug: 'lamps', floorSats: 70_000, listedCount: 4 }, tides] }],
  })
  expect(queries.getQueryData(['getInscription', { params: { id: LAMP } }])).toMatchObject({
    collections: [{ slug: 'lamps', floorSats: 70_000 }],
  })
})

it('removes the price of an ended listing', () => {
  show(itemsKey('lamps'), pagesOf({ items: [item(LAMP, 70_000)], total: 1 }))
  applyEvents(queries, [listed('lamps', LAMP, 'cancelled')])
  expect(asked).toEqual([])
  expect(queries.getQueryData(itemsKey('lamps'))).toMatchObject({
    pages: [{ items: [{ inscriptionId: LAMP, listingId: null, listingState: null, priceSats: null }] }],
  })
  applyEvents(queries, [listed('lamps', LAMP)])
  expect(asked).toEqual(['browseItems'])
})

it('does not refetch a long grid for a listing', () => {
  show(itemsKey('lamps'), pagesOf({ items: [item(LAMP)] }, { items: [item(TIDE)] }))
  applyEvents(queries, [listed('lamps', TIDE, 'buyable', 80_000)])
  expect(queries.getQueryData(itemsKey('lamps'))).toMatchObject({
    pages: [
      { items: [{ priceSats: null }] },
      { items: [{ listingState: 'buyable', priceSats: 80_000, price: 0.0008, listingId: LISTING }] },
    ],
  })
  applyEvents(queries, [listed('lamps', `${'c'.repeat(64)}i0`)])
  expect(asked).toEqual([])
  expect(queries.getQueryCache().findAll({ stale: true })).toHaveLength(1)
})

it('refetches a long list after a block', () => {
  show(['listHoldings', { params: { address: 'bcrt1' } }, 'pages'], pagesOf({ items: [item(LAMP)] }, {}))
  applyEvents(queries, [listed('lamps', LAMP, 'cancelled')])
  expect(asked).toEqual([])
  applyEvents(queries, [event('block', { height: 1, hash: 'ff', undone: false })])
  expect(asked).toEqual(['listHoldings'])
})

it('keeps the price of a newer listing', () => {
  const other = '00000000-0000-4000-8000-000000000002'
  show(itemsKey('lamps'), pagesOf({ items: [{ ...item(LAMP, 90_000), listingId: other }] }))
  applyEvents(queries, [listed('lamps', LAMP, 'replaced')])
  expect(queries.getQueryData(itemsKey('lamps'))).toMatchObject({
    pages: [{ items: [{ listingId: other, priceSats: 90_000 }] }],
  })
})

it('refetches the affected queries', () => {
  show(['getInscription', { params: { id: LAMP } }], { collections: [] })
  show(['listInscriptionOffers', { params: { id: LAMP } }], { offers: [] })
  show(['listCollectionOfferBook', { params: { slug: 'lamps' } }], { offers: [] })
  show(['getStatus', {}], {})
  applyEvents(queries, [listed('lamps', LAMP)])
  expect(asked).toEqual(['getInscription'])
  applyEvents(queries, [
    event('offer', { offerId: LISTING, inscriptionId: LAMP, state: 'active', collections: ['lamps'] }),
  ])
  expect(asked).toEqual(['getInscription', 'listInscriptionOffers'])
  applyEvents(queries, [
    event('collection_offer', { offerId: LISTING, state: 'active', collections: ['lamps'] }),
  ])
  expect(asked).toEqual(['getInscription', 'listInscriptionOffers', 'listCollectionOfferBook'])
  asked = []
  applyEvents(queries, [event('block', { height: 1, hash: 'ff', undone: false })])
  expect(asked.toSorted()).toEqual(['getInscription', 'getStatus'])
})

it('accepts an event that is not JSON', () => {
  show(itemsKey('lamps'), pagesOf({ items: [item(LAMP)] }))
  for (const text of ['', '{', 'null', '7', '{"collections":7,"inscriptionId":[],"priceSats":"1"}'])
    for (const kind of KINDS) if (kind !== 'block') applyEvents(queries, [marketEvent(kind, text)])
  expect(asked).toEqual([])
})

it('refetches the order book of the collection', () => {
  const bids = (inscriptionIds: string) => ['listBestBids', { query: { inscriptionIds } }]
  show(['getDepth', { params: { slug: 'lamps' }, query: {} }], { asks: [], bids: [] })
  show(bids(`${LAMP},${TIDE}`), { bids: [] })
  applyEvents(queries, [
    listed('tides', TIDE),
    event('offer', { offerId: LISTING, inscriptionId: `${'c'.repeat(64)}i0`, state: 'active' }),
  ])
  expect(asked).toEqual([])
  applyEvents(queries, [listed('lamps', LAMP)])
  expect(asked).toEqual(['getDepth'])
  applyEvents(queries, [event('offer', { offerId: LISTING, inscriptionId: TIDE, state: 'active' })])
  expect(asked).toEqual(['getDepth', 'listBestBids'])
})

it('refetches collections that are read by name after a collection offer', async () => {
  const bySlugs = ['browseCollections', { query: { slugs: 'lamps,tides' } }] as const
  show(bySlugs, { collections: [{ slug: 'lamps' }] })
  show(['browseCollections', { query: {} }, 'pages'], pagesOf({ collections: [{ slug: 'lamps' }] }))
  applyEvents(queries, [
    event('collection_offer', { orderId: LISTING, state: 'active', collections: ['other'] }),
  ])
  expect(asked).toEqual([])
  applyEvents(queries, [
    event('collection_offer', { orderId: LISTING, state: 'active', collections: ['lamps'] }),
  ])
  expect(asked).toEqual(['browseCollections'])
})
