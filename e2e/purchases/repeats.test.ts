import {
  acceptProposal,
  bid,
  buy,
  cancelBid,
  cancelOffer,
  counter,
  delist,
  offer,
  propose,
  rejectCounter,
  rejectOffer,
} from '@ordbook/sdk/index.ts'
import { describe, expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket, setUpTrader } from '../support/market.ts'
import { coinsOf, offering, selling } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'

/** Clients may retry after a lost response, so cancel and reject calls must be idempotent, also when sent concurrently. */
const market = setUpMarket({ ANCHOR_POOL: '40' })
const seller = setUpTrader(market)
const buyer = setUpTrader(market)

interface Scene {
  act: () => Promise<unknown>
  otherwise: () => Promise<unknown>
}

async function offered() {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const [id] = ids as [string]
  const { items } = await offer(buyer, slug, await offering(market, buyer, [id], 60_000))
  return { id, offerId: items[0]!.offerId }
}

async function counteredOffer() {
  const at = await offered()
  const counterOffer = await counter(seller, at.offerId, await selling(market, at.id, 90_000))
  return { id: at.id, offerId: counterOffer.offerId }
}

async function acceptedProposal() {
  const proposer = await traderAtStorefront(market.server.url, (await market.trader()).wallet)
  const acceptor = await traderAtStorefront(market.server.url, (await market.trader()).wallet)
  const { slug, ids } = await market.collection(acceptor.wallet, 1, 546)
  const proposal = await propose(
    proposer,
    {
      visibility: 'public',
      offeredInscriptionIds: [],
      offeredBtcSats: 50_000,
      wantedLegs: [{ collectionSlug: slug, quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: 0,
    },
    await coinsOf(market, proposer),
  )
  const [inscriptionId] = ids as [string]
  const { acceptanceId } = await acceptProposal(
    acceptor,
    proposal.id,
    [{ legId: proposal.wantedLegs[0]!.id, inscriptionId }],
    {
      gives: [{ inscriptionId, coin: await market.coinOf(inscriptionId) }],
      gets: [],
      netSats: 50_000,
      coins: await coinsOf(market, acceptor),
      maxMarketSats: 100_000,
      maxNetworkSats: 100_000,
    },
  )
  const cancel = () => acceptor.client.call('cancelAcceptance', { params: { acceptanceId } })
  const reject = () => proposer.client.call('rejectAcceptance', { params: { acceptanceId } })
  const withdraw = () => proposer.client.call('cancelProposal', { params: { proposalId: proposal.id } })
  return { cancel, reject, withdraw }
}

const SCENES: [string, () => Promise<Scene>][] = [
  [
    'cancelling an offer',
    async () => {
      const at = await offered()
      return { act: () => cancelOffer(buyer, at), otherwise: () => rejectOffer(seller, at) }
    },
  ],
  [
    'rejecting an offer',
    async () => {
      const at = await offered()
      return { act: () => rejectOffer(seller, at), otherwise: () => cancelOffer(buyer, at) }
    },
  ],
  [
    'cancelling a counter',
    async () => {
      const at = await counteredOffer()
      return { act: () => cancelOffer(seller, at), otherwise: () => rejectCounter(buyer, at) }
    },
  ],
  [
    'rejecting a counter',
    async () => {
      const at = await counteredOffer()
      return { act: () => rejectCounter(buyer, at), otherwise: () => cancelOffer(seller, at) }
    },
  ],
  [
    'cancelling an acceptance',
    async () => {
      const { cancel, reject } = await acceptedProposal()
      return { act: cancel, otherwise: reject }
    },
  ],
  [
    'rejecting an acceptance',
    async () => {
      const { cancel, reject } = await acceptedProposal()
      return { act: reject, otherwise: cancel }
    },
  ],
  [
    'cancelling a proposal',
    async () => {
      const { withdraw, reject } = await acceptedProposal()
      return { act: withdraw, otherwise: reject }
    },
  ],
]

const CALLS = 6

/** Sends a call several times concurrently, then once more. Throws if the responses differ. */
async function repeat(act: () => Promise<unknown>): Promise<unknown> {
  const answers = await Promise.all(Array.from({ length: CALLS }, act))
  answers.push(await act())
  for (const answer of answers) expect(answer).toEqual(answers[0])
  return answers[0]
}

describe('repeated calls', () => {
  it.each(SCENES)('returns the same body to a repeated call: %s', async (_, prepare) => {
    const { act, otherwise } = await prepare()
    await repeat(act)
    await expect(otherwise()).rejects.toMatchObject({ status: 409, code: 'offer-not-active' })
  })

  it('returns the same body to a repeated cancel of a bid', async () => {
    const { slug } = await market.collection(seller.wallet, 1)
    const terms = { target: { kind: 'all' }, priceSats: 50_000, coins: await coinsOf(market, buyer) } as const
    const { offers } = await bid(buyer, slug, terms)
    const { offerId } = offers[0]!
    expect(await repeat(() => cancelBid(buyer, slug, offerId))).toEqual({ offerId, status: 'cancelled' })
  })

  it('returns the same body to a repeated cancel of a listing', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 3)
    const listed = await listAll(market, seller, slug, ids, 20_000)
    const listings = ids.map((inscriptionId) => ({ inscriptionId, listingId: listed.get(inscriptionId)! }))
    expect(await repeat(() => delist(seller, slug, listings))).toEqual({ listings })
  })
})

it('returns 409 for cancelling an ended order', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const [inscriptionId] = ids as [string]
  const listed = await listAll(market, seller, slug, ids, 20_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  await market.mine()
  const listings = [{ inscriptionId, listingId: listed.get(inscriptionId)! }]
  for (let twice = 0; twice < 2; twice++)
    await expect(delist(seller, slug, listings)).rejects.toMatchObject({ status: 409, code: 'listing-ended' })
})
