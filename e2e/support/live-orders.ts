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
  /** Requests of the trader that each preflight accepts, by operation id. */
  preflights: Record<string, { params: Record<string, string>; body: Record<string, unknown> }>
}

const ALL = { kind: 'all' } as const

/** Payment coins per trader, besides the initial ones, so that trades do not spend each other's coins. */
const COINS = 8

/** Returns one payment coin of a trader, by its place. */
const coinAt = async (market: TestMarket, trader: TestTrader, place: number) => [
  (await coinsOf(market, trader)).toSorted((a, b) => a.txid.localeCompare(b.txid) || a.vout - b.vout)[place]!,
]

/**
 * Opens orders of every kind between a trader and another trader: listings, offers, counters, collection offers
 * and proposals of both, an acceptance, and an escrow. Returns the values that refer to them.
 */
export async function openLiveOrders(market: TestMarket): Promise<LiveOrders> {
  const [trader, other] = [await market.trader(), await market.trader()]
  for (const { wallet } of [trader, other])
    await market.regtest.pay(
      Array.from({ length: COINS }, () => ({ valueSats: 2_000_000, script: wallet.paymentScript })),
    )
  await market.mine()
  const own = await market.collection(trader.wallet, 10)
  const foreign = await market.collection(other.wallet, 6)
  const escrows = await rested(market, trader, own.slug, [own.ids[2]!, own.ids[9]!])
  const listed = [
    ...(await listAll(market, trader, own.slug, own.ids.slice(0, 2), 20_000)).values(),
    ...(await listAll(market, other, foreign.slug, foreign.ids.slice(0, 2), 30_000)).values(),
  ]
  const offerIds = await openOffers(market, { trader, other, own, foreign })
  const proposals = await openProposals(market, { trader, other, own, foreign })
  const coins = await Promise.all(
    [3, 4, 5, 6, 7].map(async (place) => (await coinAt(market, trader, place))[0]!),
  )
  const { wallet } = trader
  const resting = escrows.map(({ txid, vout }) => ({ txid, vout }))
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
    spendableUtxos: coins.map(({ txid, vout, valueSats }) => [{ txid, vout, valueSats }]),
    txid: [coins[0]!.txid, resting[0]!.txid],
    vout: resting.map(({ vout }) => vout),
    escrows: resting.map((each) => [each]),
    priceSats: [50_000, 60_000],
  }
  const preflights = preflightsOf(values, { own, foreign, listed, offerIds })
  return { trader, other, ids: own.ids, values, preflights }
}

function preflightsOf(
  values: LiveValues,
  at: { own: Items; foreign: Items; listed: string[]; offerIds: string[] },
): LiveOrders['preflights'] {
  const { own, foreign, listed, offerIds } = at
  const [byOther, , , , , counterOfOther, bidOfOther] = offerIds
  const first = (name: string) => values[name]![0]
  const binding = { walletBindingId: first('walletBindingId') }
  const selling = { ...binding, ordinalsPublicKey: first('ordinalsPublicKey') }
  const paying = { paymentPublicKey: first('paymentPublicKey'), spendableUtxos: first('spendableUtxos') }
  const priceSats = 60_000
  const [[resting], [reclaimed]] = values.escrows as [object[], object[]]
  const { proposalId, legId, acceptanceId } = values as Record<string, string[]>
  const fills = [{ legId: legId!.at(-1), inscriptionId: own.ids[7] }]
  const bid = { target: ALL, priceSats: 20_000 }
  const fill = { offerId: bidOfOther!, inscriptionId: own.ids[8] }
  const listing = { listingId: listed[2], inscriptionId: foreign.ids[0], priceSats: 30_000 }
  const offered = { id: own.ids[3]!, offerId: byOther! }
  return {
    preflightListing: {
      params: { slug: own.slug },
      body: { ...selling, items: [{ inscriptionId: own.ids[7], priceSats }] },
    },
    preflightPurchase: {
      params: { slug: foreign.slug },
      body: { ...binding, ...paying, spendableUtxos: values.spendableUtxos!.at(-1), listings: [listing] },
    },
    preflightCollectionOffer: {
      params: { slug: foreign.slug },
      body: { ...binding, ...paying, inscriptionIds: [foreign.ids[1]], priceSats: 20_000 },
    },
    preflightCounterOffer: { params: offered, body: { ...selling, priceSats } },
    preflightOfferAcceptance: { params: offered, body: selling },
    preflightCounterOfferAcceptance: {
      params: { id: foreign.ids[3]!, offerId: counterOfOther! },
      body: { ...binding, ...paying, spendableUtxos: values.spendableUtxos![1] },
    },
    preflightCollectionWideOffer: { params: { slug: foreign.slug }, body: { ...selling, ...paying, ...bid } },
    preflightCollectionOfferFill: {
      params: { slug: own.slug, offerId: bidOfOther! },
      body: { ...selling, ...fill },
    },
    preflightRelist: { params: {}, body: { ...selling, items: [{ ...resting, priceSats }] } },
    preflightMove: { params: {}, body: { ...selling, ...paying, escrows: [resting] } },
    preflightReclaim: { params: {}, body: { ...selling, escrows: [reclaimed] } },
    preflightAcceptance: {
      params: { proposalId: proposalId!.at(-1)! },
      body: { ...selling, ...paying, spendableUtxos: values.spendableUtxos![2], fills },
    },
    preflightSettlement: { params: { acceptanceId: acceptanceId![0]! }, body: selling },
  }
}

interface Items {
  slug: string
  ids: string[]
}

interface Sides {
  trader: TestTrader
  other: TestTrader
  own: Items
  foreign: Items
}

/** Opens offers, counters and collection offers of both traders. Returns their ids. */
async function openOffers(market: TestMarket, { trader, other, own, foreign }: Sides): Promise<string[]> {
  const offerIds: string[] = []
  for (const [buyer, seller, slug, ids] of [
    [other, trader, own.slug, own.ids.slice(3, 5)],
    [trader, other, foreign.slug, foreign.ids.slice(2, 4)],
  ] as const) {
    const agreement = await offering(market, buyer, ids, 40_000)
    const { items } = await offer(buyer, slug, { ...agreement, coins: await coinAt(market, buyer, 0) })
    const made = items.map(({ offerId }) => offerId)
    const { offerId } = await counter(seller, made[1]!, await selling(market, ids[1]!, 45_000))
    offerIds.push(...made, offerId)
  }
  for (const [buyer, { slug }] of [
    [other, own],
    [trader, foreign],
  ] as const) {
    const wish = { target: ALL, priceSats: 15_000, offerCount: 1, coins: await coinAt(market, buyer, 1) }
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
      await coinAt(market, trader, 2),
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
      coins: await coinAt(market, other, 2),
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
