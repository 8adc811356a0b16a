import type { Answer, OperationId } from '@ordbook/sdk/operations.ts'
import { replaceEqualDeep } from '@tanstack/react-query'
import type { Kind, MarketEvent } from './market-event.ts'

export interface CachedRead {
  id: string
  input: { params?: Record<string, unknown>; query?: Record<string, unknown> }
  /** Undefined while the first request is pending. */
  data: unknown
}

/** Effect of an event on a cached read. `data` replaces it without a request. */
export type Effect = 'none' | 'read' | { data: unknown }
type Rule = (event: MarketEvent, read: CachedRead) => Effect
type Concerns = (event: MarketEvent, read: CachedRead) => boolean

const idsOf = ({ orderId, listingId, inscriptionId }: MarketEvent) =>
  [orderId, listingId, inscriptionId].filter((id) => id !== null)
const names = (value: unknown, event: MarketEvent) => {
  const text = JSON.stringify(value) ?? ''
  return idsOf(event).some((id) => text.includes(id))
}
const isNew = ({ state }: MarketEvent) =>
  ['active', 'open', 'buyable', 'pending_public'].includes(state ?? '')
const ofCollection = (event: MarketEvent, slug: unknown) =>
  typeof slug === 'string' && (event.collections ?? []).includes(slug.toLowerCase())

/** Conditions under which an event concerns a read. */
const any: Concerns = () => true
const collection: Concerns = (event, { input: { params, query } }) =>
  ofCollection(event, params?.slug ?? query?.collectionSlug)
const byInput: Concerns = (event, { input }) => names(input, event)
const byResponse: Concerns = (event, { data }) => names(data, event)
const namedOrNew: Concerns = (event, read) => isNew(event) || byResponse(event, read)
const bySlugs: Concerns = (event, { input: { query } }) =>
  typeof query?.slugs === 'string' && query.slugs.split(',').some((each) => ofCollection(event, each))
const feed: Concerns = (event, read) => {
  const { slug, slugs, inscriptionId, address } = read.input.query ?? {}
  if (slugs !== undefined) return bySlugs(event, read)
  if (slug !== undefined) return ofCollection(event, slug)
  if (inscriptionId !== undefined) return event.inscriptionId === inscriptionId
  return address === undefined || byResponse(event, read)
}
/** Other feeds show transfers with their next event, to save reads per block. */
const transfers: Concerns = (_, { input: { query } }) =>
  query?.address !== undefined || query?.kind === 'transfers'

/** Events that make a read stale, or patch it without a request. */
const RULES: Partial<Record<OperationId, Partial<Record<Kind, Concerns | { apply: Rule }>>>> = {
  browseCollections: { collection_offer: bySlugs, floor: { apply: withFloor } },
  browseItems: { listing: { apply: cards }, sale: byResponse },
  getCollection: { sale: collection, collection_offer: collection, floor: { apply: withFloor } },
  getCollectionHistory: { sale: collection },
  getDepth: { listing: collection, collection_offer: collection },
  getInscription: { listing: byInput, sale: byInput, floor: { apply: withFloor }, block: any },
  getPortfolioValue: { block: any },
  getProposal: { proposal: byInput },
  getSettlement: { sale: byResponse, block: any },
  getInboxCounts: { inbox: any },
  getStatus: { block: any },
  listAcceptances: { proposal: byResponse, block: any, inbox: any },
  listActivity: { listing: feed, sale: feed, block: transfers },
  listBestBids: { offer: byInput, collection_offer: any },
  listCarries: { block: any },
  listCoins: { block: any },
  listCollectionOfferBook: { collection_offer: collection },
  listHoldings: {
    listing: byResponse,
    sale: byResponse,
    offer: byResponse,
    proposal: byResponse,
    block: any,
  },
  listInbox: { inbox: any },
  listInscriptionOffers: { offer: byInput },
  listItemValues: { sale: byInput },
  listListings: { listing: collection },
  listMatchingProposals: { proposal: namedOrNew },
  listMyEscrows: { listing: byResponse, sale: byResponse, block: any },
  listMyOffers: { offer: namedOrNew, collection_offer: byResponse },
  listMySentCollectionOffers: { collection_offer: collection },
  listOwnListings: { listing: namedOrNew, sale: byResponse },
  listOwnProposals: { proposal: byResponse },
  listTradeProposals: { proposal: namedOrNew },
  listWaiting: { inbox: any, offer: any, listing: byResponse, proposal: byResponse, block: any },
  quoteAcceptance: { block: any },
  quoteCollectionOffers: { collection_offer: collection, block: any },
  quoteCounter: { offer: byInput, block: any },
  quoteCounterAcceptance: { block: any },
  quoteFill: { offer: byResponse, collection_offer: collection, block: any },
  quoteListing: { offer: byResponse, collection_offer: collection, block: any },
  quoteOfferAcceptance: { offer: byInput, block: any },
  quoteOffers: { listing: byResponse, offer: byResponse, block: any },
  quoteProposal: { block: any },
  quotePurchase: { listing: byResponse, block: any },
}

export function effectOf(event: MarketEvent, read: CachedRead): Effect {
  const rule = RULES[read.id as OperationId]?.[event.kind]
  if (rule === undefined) return 'none'
  if (typeof rule === 'object') return rule.apply(event, read)
  return rule(event, read) ? 'read' : 'none'
}

const LIVE = new Set(['buyable', 'hidden_locked', 'pending_public'])
type Item = Answer<'browseItems'>['items'][number]

/** Updates the card of a listing. A new listing refetches, because it can change the order. */
function cards(event: MarketEvent, read: CachedRead): Effect {
  const before = read.data as { pages: readonly Answer<'browseItems'>[] } | undefined
  if (!collection(event, read)) return 'none'
  if (!before) return 'read'
  const isShown = before.pages.some((page) => page.items.some((item) => isOf(event, item)))
  if (isNew(event) && (!isShown || before.pages.length === 1)) return 'read'
  if (!isShown) return 'none'
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
  // An earlier listing must not clear a newer one.
  if (item.listingId !== listingId) return item
  return { ...item, listingId: null, listingState: null, priceSats: null, price: null, listedAt: null }
}

function withFloor(event: MarketEvent, read: CachedRead): Effect {
  if (read.data === undefined) return collection(event, read) ? 'read' : 'none'
  const { floorSats, listedCount } = event
  const apply = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(apply)
    if (typeof value !== 'object' || value === null) return value
    const members: Record<string, unknown> = Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, apply(member)]),
    )
    if (!('floorSats' in members) || !ofCollection(event, members.slug)) return members
    return {
      ...members,
      floorSats,
      ...('listedCount' in members && listedCount !== null ? { listedCount } : {}),
    }
  }
  return { data: replaceEqualDeep(read.data, apply(read.data)) }
}
