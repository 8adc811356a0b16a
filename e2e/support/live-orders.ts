import { acceptProposal, bid, counter, offer, propose } from '@ordbook/sdk/index.ts'
import { rested } from '../escrows/support/escrow-market.ts'
import { enter, listAll, type TestMarket, type TestTrader } from './market.ts'
import { coinsOf, offering, selling } from './offers.ts'
import { signInAtStorefront, traderAtStorefront } from './storefront.ts'

/** Values of request fields that refer to existing data, by field name. */
export type LiveValues = Record<string, unknown[]>

export interface LiveOrders {
  trader: TestTrader
  other: TestTrader
  /** Inscriptions of the trader. */
  ids: string[]
  values: LiveValues
}

const ALL = { kind: 'all' } as const

/**
 * Opens orders of each kind between a trader and another trader: listings, offers, counters, collection offers
 * and proposals of both, an acceptance, and an escrow. Returns the values that refer to them.
 */
export async function openLiveOrders(market: TestMarket): Promise<LiveOrders> {
  const [trader, other] = [await market.trader(), await market.trader()]
  const own = await market.collection(trader.wallet, 9)
  const foreign = await market.collection(other.wallet, 6)
  const [escrow] = await rested(market, trader, own.slug, [own.ids[2]!])
  const listed = [
    ...(await listAll(market, trader, own.slug, own.ids.slice(0, 2), 20_000)).values(),
    ...(await listAll(market, other, foreign.slug, foreign.ids.slice(0, 2), 30_000)).values(),
  ]
  const offerIds = await openOffers(market, { trader, other, own, foreign })
  const proposals = await openProposals(market, { trader, other, own, foreign })
  const [coin] = await coinsOf(market, trader)
  const { wallet } = trader
  const resting = { txid: escrow!.txid, vout: escrow!.vout }
  const { pagination } = await trader.client.call('listCollectionInscriptions', {
    params: { slug: own.slug },
    query: { limit: 1 },
  })
  const values = {
    slug: [own.slug, foreign.slug, own.slug.toUpperCase(), 'unknown'],
    slugs: [own.slug, `${own.slug},unknown`],
    collectionSlug: [own.slug, foreign.slug],
    inscriptionId: [...own.ids, ...foreign.ids],
    inscriptionIds: [[foreign.ids[0]], [foreign.ids[4]]],
    offeredInscriptionIds: [own.ids, [own.ids[8]]],
    listingId: listed,
    offerId: offerIds,
    ...proposals,
    walletBindingId: [trader.walletBindingId],
    cursor: [pagination.nextCursor],
    ordinalsAddress: [wallet.ordinalsAddress],
    sellerAddress: [wallet.ordinalsAddress],
    paymentAddress: [wallet.paymentAddress],
    ordinalsPublicKey: [wallet.ordinalsPublicKey],
    paymentPublicKey: [wallet.paymentPublicKey],
    spendableUtxos: [[{ txid: coin!.txid, vout: coin!.vout, valueSats: coin!.valueSats }]],
    txid: [coin!.txid, resting.txid],
    vout: [resting.vout],
    escrows: [[resting]],
    priceSats: [50_000, 60_000],
  }
  return { trader, other, ids: own.ids, values }
}

interface Sides {
  trader: TestTrader
  other: TestTrader
  own: { slug: string; ids: string[] }
  foreign: { slug: string; ids: string[] }
}

/** Opens offers, counters and collection offers of both traders. Returns their ids. */
async function openOffers(market: TestMarket, { trader, other, own, foreign }: Sides): Promise<string[]> {
  const offerIds: string[] = []
  for (const [buyer, seller, slug, ids] of [
    [other, trader, own.slug, own.ids.slice(3, 5)],
    [trader, other, foreign.slug, foreign.ids.slice(2, 4)],
  ] as const) {
    const { items } = await offer(buyer, slug, await offering(market, buyer, ids, 40_000))
    const made = items.map(({ offerId }) => offerId)
    const { offerId } = await counter(seller, made[1]!, await selling(market, ids[1]!, 45_000))
    offerIds.push(...made, offerId)
  }
  for (const [buyer, { slug }] of [
    [other, own],
    [trader, foreign],
  ] as const) {
    const wish = { target: ALL, priceSats: 15_000, offerCount: 1, coins: await coinsOf(market, buyer) }
    offerIds.push((await bid(buyer, slug, wish)).offers[0]!.offerId)
  }
  return offerIds
}

/** Opens a proposal of each trader and accepts a third one. Returns the ids of proposals and acceptances. */
async function openProposals(
  market: TestMarket,
  { trader, other, own, foreign }: Sides,
): Promise<{ proposalId: string[]; acceptanceId: string[]; legId: string[] }> {
  const { url } = market.server
  const [proposer, acceptor] = [
    await traderAtStorefront(url, trader.wallet),
    await traderAtStorefront(url, other.wallet),
  ]
  const open = async (by: typeof proposer, given: string, wantedSlug: string) =>
    propose(
      by,
      {
        visibility: 'public',
        offeredInscriptionIds: [given],
        offeredBtcSats: 0,
        wantedLegs: [{ collectionSlug: wantedSlug, quantity: 1, target: ALL }],
        requestedBtcSats: 0,
      },
      await coinsOf(market, trader),
    )
  const proposals = [
    await open(proposer, own.ids[5]!, foreign.slug),
    await open(proposer, own.ids[6]!, foreign.slug),
    await open(acceptor, foreign.ids[4]!, own.slug),
  ]
  const [taken] = proposals
  const legId = taken!.wantedLegs[0]!.id
  const { acceptanceId } = await acceptProposal(
    acceptor,
    taken!.id,
    [{ legId, inscriptionId: foreign.ids[5]! }],
    {
      gives: [{ inscriptionId: foreign.ids[5]!, coin: await market.coinOf(foreign.ids[5]!) }],
      gets: [{ inscriptionId: own.ids[5]!, coin: await market.coinOf(own.ids[5]!) }],
      netSats: 0,
      coins: await coinsOf(market, other),
      maxMarketSats: 100_000,
      maxNetworkSats: 100_000,
    },
  )
  return {
    proposalId: proposals.map(({ id }) => id),
    acceptanceId: [acceptanceId],
    legId: proposals.map(({ wantedLegs }) => wantedLegs[0]!.id),
  }
}

/** Signs the trader in again, after a request has ended all sessions. Returns the trader and a session cookie. */
export async function signInAgain(market: TestMarket, { wallet }: TestTrader) {
  const trader = await enter(market.base, wallet)
  const { cookie } = await signInAtStorefront(market.server.url, wallet)
  return { trader, cookie }
}
