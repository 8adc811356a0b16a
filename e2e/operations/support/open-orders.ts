import {
  acceptCounter,
  acceptOffer,
  acceptProposal,
  bid,
  buy,
  cancelBid,
  cancelOffer,
  counter,
  delist,
  fill,
  offer,
  propose,
  settle,
} from '@ordbook/sdk/index.ts'
import { agreementFor, listAll, type TestMarket, type TestTrader } from '../../support/market.ts'
import { coinsOf, countered, offering, selling } from '../../support/offers.ts'
import { traderAtStorefront } from '../../support/storefront.ts'

/** Roles of makers and takers. Each has a separate wallet. */
const ROLES = ['seller', 'offerer', 'bidder', 'taker'] as const
export type People = Record<(typeof ROLES)[number], TestTrader>

export const KINDS = {
  offer: { table: 'offers', key: 'offer_id', live: 'active' },
  counter: { table: 'offers', key: 'offer_id', live: 'active' },
  bid: { table: 'collection_offers', key: 'offer_id', live: 'active' },
  proposal: { table: 'proposals', key: 'proposal_id', live: 'active' },
  acceptance: { table: 'acceptances', key: 'acceptance_id', live: 'active' },
  listing: { table: 'listings', key: 'listing_id', live: 'buyable' },
} as const
export type Kind = keyof typeof KINDS

/** An open order. Cancelling and accepting need new sessions after the market restarts. */
export interface OpenOrder {
  kind: Kind
  orderId: string
  cancel(people: People): Promise<unknown>
  accept(people: People): Promise<unknown>
}

const PRICE = 90_000
const COUNTERED = 120_000

export async function makePeople(market: TestMarket): Promise<People> {
  const people: [string, TestTrader][] = []
  for (const role of ROLES) people.push([role, await market.trader('p2wpkh', 40_000_000)])
  return enterAgain(market, Object.fromEntries(people) as People)
}

export async function enterAgain(market: TestMarket, people: People): Promise<People> {
  const entered: [string, TestTrader][] = []
  for (const [role, { wallet }] of Object.entries(people))
    entered.push([role, await traderAtStorefront(market.server.url, wallet)])
  return Object.fromEntries(entered) as People
}

/** Opens two orders of every kind, one to cancel and one to accept. */
export async function openOrders(market: TestMarket, people: People): Promise<Record<Kind, OpenOrder[]>> {
  const { slug, ids } = await market.collection(people.seller.wallet, 12)
  const next = () => [ids.pop()!, ids.pop()!]
  return {
    offer: await openOffers(market, people, slug, next()),
    counter: await openCounters(market, people, slug, next()),
    bid: await openBids(market, people, slug, next()),
    proposal: await openProposals(market, people, next()),
    acceptance: await openAcceptances(market, people, next()),
    listing: await openListings(market, people, slug, next()),
  }
}

async function openOffers(market: TestMarket, { offerer }: People, slug: string, ids: string[]) {
  const { items } = await offer(offerer, slug, await offering(market, offerer, ids, PRICE))
  return items.map(
    ({ inscriptionId: id, offerId }): OpenOrder => ({
      kind: 'offer',
      orderId: offerId,
      cancel: (now) => cancelOffer(now.offerer, { id, offerId }),
      accept: async (now) => acceptOffer(now.seller, offerId, await selling(market, id, PRICE)),
    }),
  )
}

async function openCounters(market: TestMarket, people: People, slug: string, ids: string[]) {
  const parents = await openOffers(market, people, slug, ids)
  const orders: OpenOrder[] = []
  for (const [n, id] of ids.entries()) {
    const agreement = await selling(market, id, COUNTERED)
    const { offerId } = await counter(people.seller, parents[n]!.orderId, agreement)
    orders.push({
      kind: 'counter',
      orderId: offerId,
      cancel: (now) => cancelOffer(now.seller, { id, offerId }),
      accept: async (now) =>
        acceptCounter(now.offerer, offerId, await countered(market, now.offerer, id, COUNTERED)),
    })
  }
  return orders
}

async function openBids(market: TestMarket, { bidder }: People, slug: string, ids: string[]) {
  const coins = await coinsOf(market, bidder)
  const ladder = { offerCount: 2, ladderStepSats: 10_000 }
  const { offers } = await bid(bidder, slug, { target: { kind: 'all' }, priceSats: PRICE, ...ladder, coins })
  return offers.map(
    ({ offerId, priceSats }, n): OpenOrder => ({
      kind: 'bid',
      orderId: offerId,
      cancel: (now) => cancelBid(now.bidder, slug, offerId),
      accept: async (now) =>
        fill(now.seller, slug, offerId, {
          ...(await selling(market, ids[n]!, priceSats, 300)),
          evenBelowTopOffer: true,
        }),
    }),
  )
}

async function openProposals(market: TestMarket, { seller }: People, ids: string[]): Promise<OpenOrder[]> {
  const orders: OpenOrder[] = []
  for (const id of ids) {
    const { id: proposalId } = await proposeFor(seller, id)
    orders.push({
      kind: 'proposal',
      orderId: proposalId,
      cancel: (now) => now.seller.client.call('cancelProposal', { params: { proposalId } }),
      accept: (now) => acceptAll(market, now.taker, proposalId, id),
    })
  }
  return orders
}

async function openAcceptances(market: TestMarket, people: People, ids: string[]): Promise<OpenOrder[]> {
  const orders: OpenOrder[] = []
  for (const id of ids) {
    const { id: proposalId } = await proposeFor(people.seller, id)
    const { acceptanceId } = await acceptAll(market, people.taker, proposalId, id)
    orders.push({
      kind: 'acceptance',
      orderId: acceptanceId,
      cancel: (now) => now.taker.client.call('cancelAcceptance', { params: { acceptanceId } }),
      accept: async (now) =>
        settle(now.seller, acceptanceId, {
          gives: [{ inscriptionId: id, coin: await market.coinOf(id) }],
          gets: [],
          netSats: PRICE,
          coins: await coinsOf(market, now.seller),
        }),
    })
  }
  return orders
}

const proposeFor = (seller: TestTrader, id: string) =>
  propose(seller, {
    visibility: 'public',
    offeredInscriptionIds: [id],
    offeredBtcSats: 0,
    wantedLegs: [],
    requestedBtcSats: PRICE,
  })

const acceptAll = async (market: TestMarket, taker: TestTrader, proposalId: string, id: string) =>
  acceptProposal(taker, proposalId, [], {
    gives: [],
    gets: [{ inscriptionId: id, coin: await market.coinOf(id) }],
    netSats: -PRICE,
    coins: await coinsOf(market, taker),
    maxMarketSats: 100_000,
    maxNetworkSats: 100_000,
  })

async function openListings(market: TestMarket, { seller }: People, slug: string, ids: string[]) {
  const listed = await listAll(market, seller, slug, ids, PRICE)
  return ids.map((inscriptionId): OpenOrder => {
    const listingId = listed.get(inscriptionId)!
    return {
      kind: 'listing',
      orderId: listingId,
      cancel: (now) => delist(now.seller, slug, [{ inscriptionId, listingId }]),
      accept: async (now) => buy(now.taker, slug, await agreementFor(market, now.taker, [inscriptionId])),
    }
  })
}
