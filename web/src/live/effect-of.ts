import type { Answer, OperationId } from '@ordbook/sdk/operations.ts'
import type { MarketEvent } from './market-event.ts'

/** A read in the cache of the pages. */
export interface CachedRead {
  id: string
  input: { params?: Record<string, unknown>; query?: Record<string, unknown> }
  /** Its answer, or the pages of its answers; undefined while the first is on its way. */
  data: unknown
}

/**
 * The effect of an event on a cached read: `none`; `read`, if it is on the screen; `stale`, so that it is read when the visitor
 * comes back to it; or the data with the event applied.
 */
export type Effect = 'none' | 'read' | 'stale' | { data: unknown }
type Rule = (event: MarketEvent, read: CachedRead) => Effect

interface Pages<Page> {
  pages: readonly Page[]
}

const when =
  (concerns: (event: MarketEvent, read: CachedRead) => boolean, effect: Effect | Rule): Rule =>
  (event, read) =>
    concerns(event, read) ? (typeof effect === 'function' ? effect(event, read) : effect) : 'none'

const ofCollection = (event: MarketEvent, slug: unknown) =>
  typeof slug === 'string' && (event.collections ?? []).includes(slug.toLowerCase())

const inSlug = (event: MarketEvent, { input }: CachedRead) => ofCollection(event, input.params?.slug)
/** Of a read that names its collection among its filters. */
const inCollection = (event: MarketEvent, { input }: CachedRead) =>
  ofCollection(event, input.query?.collectionSlug)
const onItem = (event: MarketEvent, { input }: CachedRead) =>
  event.inscriptionId !== null && event.inscriptionId === (input.params?.id ?? input.query?.inscriptionId)
/** Whether the read asks about the event's inscription among others. */
const amongItems = ({ inscriptionId }: MarketEvent, { input }: CachedRead) =>
  inscriptionId !== null && String(input.query?.inscriptionIds).includes(inscriptionId)
/** Whether the answer names an order or inscription of the event. */
const named = (event: MarketEvent, { data }: CachedRead) =>
  [event.orderId, event.listingId, event.inscriptionId].some((id) => id !== null && mentions(data, id))

/** Reads a list again while it is one page; a longer one costs a request for each of its pages, so it only becomes stale. */
const list: Rule = (_, { data }) => (((data as Pages<unknown>)?.pages?.length ?? 1) <= 1 ? 'read' : 'stale')
/** New orders are in none of the answers yet. */
const isNew = (event: MarketEvent) =>
  ['active', 'open', 'buyable', 'pending_public'].includes(event.state ?? '')

const always = () => true
const OWN_OFFERS = when((event, read) => named(event, read) || isNew(event), list)
const PROPOSALS = when((event, read) => named(event, read) || isNew(event), list)
const ACTIVITY = when((event, read) => {
  const { slug, slugs, inscriptionId, address } = read.input.query ?? {}
  if (typeof slugs === 'string') return slugs.split(',').some((each) => ofCollection(event, each))
  if (slug !== undefined) return ofCollection(event, slug)
  if (inscriptionId !== undefined) return event.inscriptionId === inscriptionId
  return address === undefined || named(event, read)
}, list)

/** Blocks bring transfers. Lists with other events show them with the next of those, so that a block costs few reads. */
const mayTransfer = (query: CachedRead['input']['query']) =>
  query?.address !== undefined || query?.kind === 'transfers'

type Rules = Partial<Record<OperationId, Rule>>

/** The reads that each kind of event may concern. A block changes the coins, the locations and the settlements. */
const RULES: Record<string, Rules> = {
  listing: {
    browseItems: when(inSlug, (event, read) => items(event, read)),
    getDepth: when(inSlug, 'read'),
    getInscription: when(onItem, 'read'),
    listActivity: ACTIVITY,
    listHoldings: when(named, list),
    listItemValues: () => 'stale',
    listListings: when(inCollection, list),
    listMyEscrows: when(named, list),
    listOwnListings: when((event, read) => named(event, read) || isNew(event), list),
    listTraits: when(inSlug, 'stale'),
    quotePurchase: when(named, 'read'),
    quoteOffers: when(named, 'read'),
  },
  sale: {
    browseItems: when(named, list),
    getInscription: when(onItem, 'read'),
    getCollection: when(inSlug, 'read'),
    getCollectionHistory: when(inSlug, 'read'),
    getActivitySummary: () => 'stale',
    listActivity: ACTIVITY,
    listHoldings: when(named, list),
    listMyEscrows: when(named, list),
    listItemValues: when(amongItems, 'read'),
    listOwnListings: when(named, list),
    listOwnSales: () => 'stale',
    listSales: list,
    getSettlement: when(named, 'read'),
    browseCollections: () => 'stale',
  },
  offer: {
    listInscriptionOffers: when(onItem, 'read'),
    getBestBid: when(onItem, 'read'),
    listBestBids: when(amongItems, 'read'),
    quoteListing: when(named, 'read'),
    quoteOffers: when(named, 'read'),
    quoteCounter: when(onItem, 'read'),
    quoteOfferAcceptance: when(onItem, 'read'),
    quoteFill: when(named, 'read'),
    listMyOffers: OWN_OFFERS,
    listActivity: when(
      (_, { input }) =>
        input.query?.slug === undefined &&
        input.query?.inscriptionId === undefined &&
        input.query?.address === undefined,
      'stale',
    ),
    listHoldings: when(named, list),
  },
  collection_offer: {
    listCollectionOfferBook: when(inSlug, 'read'),
    listMySentCollectionOffers: when(inSlug, 'read'),
    getCollection: when(inSlug, 'read'),
    listMyOffers: when(named, list),
    getBestBid: () => 'read',
    getDepth: when(inSlug, 'read'),
    listBestBids: () => 'read',
    quoteListing: when(inSlug, 'read'),
    quoteCollectionOffers: when(inSlug, 'read'),
    quoteFill: when(inSlug, 'read'),
  },
  proposal: {
    listTradeProposals: PROPOSALS,
    getProposal: when((event, { input }) => input.params?.proposalId === event.orderId, 'read'),
    listOwnProposals: when(named, list),
    listMatchingProposals: PROPOSALS,
    listAcceptances: when(named, list),
    listHoldings: when(named, list),
  },
  floor: {
    getCollection: when(inSlug, (event, { data }) => withFloor(event, data)),
    browseCollections: (event, { data }) => floorOfRow(event, data),
    getCollectionHistory: when(inSlug, 'stale'),
    getInscription: (event, { data }) => floorOfItem(event, data),
  },
  block: {
    listAcceptances: () => 'read',
    listActivity: when((_, { input }) => mayTransfer(input.query), list),
    listCoins: () => 'read',
    listHoldings: () => 'read',
    listMyEscrows: () => 'read',
    listOwnListings: () => 'stale',
    listCarries: () => 'read',
    getSettlement: when(always, 'read'),
    getInscription: () => 'read',
    getStatus: when(always, 'read'),
    quotePurchase: () => 'read',
    quoteListing: () => 'read',
    quoteOffers: () => 'read',
    quoteCollectionOffers: () => 'read',
    quoteCounter: () => 'read',
    quoteCounterAcceptance: () => 'read',
    quoteOfferAcceptance: () => 'read',
    quoteFill: () => 'read',
    quoteAcceptance: () => 'read',
    quoteProposal: () => 'read',
  },
}

/** The effect of an event on a cached read. */
export function effectOf(event: MarketEvent, read: CachedRead): Effect {
  return RULES[event.kind]?.[read.id as OperationId]?.(event, read) ?? 'none'
}

const LIVE = new Set(['buyable', 'hidden_locked', 'pending_public'])
type Item = Answer<'browseItems'>['items'][number]

/** A listing patches its card. A listing that begins may move the card, or bring one that no page has yet. */
function items(event: MarketEvent, read: CachedRead): Effect {
  const before = read.data as Pages<Answer<'browseItems'>> | undefined
  if (!before) return 'read'
  const isShown = before.pages.some((page) => page.items.some((item) => isOf(event, item)))
  if (!isShown) return isNew(event) ? list(event, read) : 'none'
  if (isNew(event) && list(event, read) === 'read') return 'read'
  const pages = before.pages.map((page) => ({
    ...page,
    items: page.items.map((item) => (isOf(event, item) ? relisted(event, item) : item)),
  }))
  return { data: { ...before, pages } }
}

const isOf = (event: MarketEvent, item: Item) => item.inscriptionId === event.inscriptionId

function relisted(event: MarketEvent, item: Item): Item {
  const { listingId, state, priceSats, at } = event
  if (state !== null && LIVE.has(state))
    return {
      ...item,
      listingId,
      listingState: state as Item['listingState'],
      priceSats,
      price: priceSats === null ? null : priceSats / 1e8,
      listedAt: at,
    }
  // The end of a former listing does not end the one that replaced it.
  if (item.listingId !== listingId) return item
  return { ...item, listingId: null, listingState: null, priceSats: null, price: null, listedAt: null }
}

const withFloor = ({ floorSats, listedCount }: MarketEvent, data: unknown): Effect =>
  data === undefined
    ? 'read'
    : { data: { ...(data as object), floorSats, ...(listedCount === null ? {} : { listedCount }) } }

function floorOfRow(event: MarketEvent, data: unknown): Effect {
  const before = data as Pages<Answer<'browseCollections'>> | undefined
  const concerns = (row: { slug: string }) => ofCollection(event, row.slug)
  if (!before?.pages?.some((page) => page.collections.some(concerns))) return 'none'
  const { floorSats } = event
  const pages = before.pages.map((page) => ({
    ...page,
    collections: page.collections.map((row) =>
      concerns(row) ? { ...row, floorSats, listedCount: event.listedCount ?? row.listedCount } : row,
    ),
  }))
  return { data: { ...before, pages } }
}

function floorOfItem(event: MarketEvent, data: unknown): Effect {
  const before = data as Answer<'getInscription'> | undefined
  if (!before?.collections.some(({ slug }) => ofCollection(event, slug))) return 'none'
  const { floorSats } = event
  const collections = before.collections.map((each) =>
    ofCollection(event, each.slug) ? { ...each, floorSats } : each,
  )
  return { data: { ...before, collections } }
}

/** Whether a text stands anywhere in an answer. */
function mentions(data: unknown, text: string): boolean {
  if (typeof data === 'string') return data === text
  if (typeof data !== 'object' || data === null) return false
  return Object.values(data).some((each) => mentions(each, text))
}
