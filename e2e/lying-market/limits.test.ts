import { setCollectionRoyalty } from '@ordbook/market/collections/royalty.ts'
import {
  acceptCounter,
  acceptOffer,
  acceptProposal,
  bid,
  buy,
  CheckFailed,
  type Client,
  counter,
  exitEscrow,
  fill,
  list,
  moveEscrows,
  offer,
  propose,
  relist,
  type Trader,
} from '@ordbook/sdk/index.ts'
import { keysOf } from '@ordbook/sdk/keys.ts'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { rested } from '../escrows/support/escrow-market.ts'
import { agreementFor, listAll, setUpMarket, setUpTrader, type TestTrader } from '../support/market.ts'
import { coinsOf, countered, offering, selling } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'
import { recording } from './recording-wallet.ts'

/** A market that exceeds one limit of an agreement at a time. Nothing may be signed, and the error must name the limit. */
const market = setUpMarket({ ANCHOR_POOL: '120' })
const seller = setUpTrader(market)
const buyer = setUpTrader(market)

/** All limits of agreements. Each trade uses some of them. */
interface Limits {
  maxFeeBps: number
  maxFeeSats?: number
  maxNetworkSats: number
  maxMarketSats: number
  maxTotalSats?: number
  leastSats?: number
}
const GENEROUS: Limits = { maxFeeBps: 10_000, maxNetworkSats: 1_000_000, maxMarketSats: 1_000_000 }

/** Settings of a market that charges more than was agreed. */
const HIGH_FEES = { sellerFeeBps: 1500, buyerFeeBps: 1500, fillFeeBps: 1500, proposalFeeSats: 40_000 }
const HIGH_LEAST = { feeMinSats: 5000 }
const HIGH_RATE = { feeRateMinSatVb: 60 }
const HIGH_ROYALTY = { royaltyBps: 900 }
type Settings = Partial<typeof HIGH_FEES & typeof HIGH_LEAST & typeof HIGH_RATE & typeof HIGH_ROYALTY>

const FAIR = {
  sellerFeeBps: 100,
  buyerFeeBps: 100,
  fillFeeBps: 100,
  proposalFeeSats: 0,
  feeMinSats: 0,
  feeRateMinSatVb: 1,
}
const PRICE = 50_000
const ONE_PERCENT = { maxFeeBps: 100 }
/** Above one percent, and below the greedy market's minimum fee. */
const FLOOR = { maxFeeBps: 100, maxFeeSats: 2000 }
const CHEAP = { maxNetworkSats: 1500 }

let slug: string
let ids: string[]
let othersItems: { slug: string; ids: string[] }
let resting: string
beforeAll(async () => {
  const collection = await market.collection(seller.wallet, 8)
  ;({ slug, ids } = collection)
  othersItems = await market.collection(buyer.wallet, 1)
  await market.anchors(40)
  resting = ids[7]!
  await rested(market, seller, slug, [resting])
})

async function set({ royaltyBps = 0, ...settings }: Settings): Promise<void> {
  Object.assign(market.server.context.config, FAIR, settings)
  const { paymentAddress: address } = seller.wallet
  await setCollectionRoyalty(market.server.context, slug, {
    address,
    sellerBps: royaltyBps,
    buyerBps: royaltyBps,
  })
}
afterEach(() => set({}))

function unsent<T extends TestTrader>({ client, wallet, walletBindingId }: T) {
  const call: Client['call'] = (id, ...input) =>
    id.startsWith('submit') ? Promise.reject(new Error('not sent')) : client.call(id, ...input)
  return {
    client: Object.assign(Object.create(client) as Client, { call }),
    wallet: recording(wallet, false),
    walletBindingId,
  }
}

/** Identical offers are rejected, so use a new price for each. */
let nextPrice = PRICE
const offered = async (id: string, limits: Partial<Limits>, priceSats: number) => ({
  ...(await offering(market, buyer, [id], priceSats)),
  ...limits,
})
const makeOffer = async (id: string) => {
  const priceSats = (nextPrice += 1000)
  const { items } = await offer(buyer, slug, await offered(id, GENEROUS, priceSats), 24)
  return { offerId: items[0]!.offerId, priceSats }
}
const sale = async (id: string, limits: Limits, priceSats = PRICE) => ({
  ...(await selling(market, id, priceSats)),
  ...limits,
})
const escrowAt = async (id: string) => {
  const { escrows } = await seller.client.call('listMyEscrows', { query: { limit: 100 } })
  const { escrowForm } = escrows.find(({ inscriptionIds }) => inscriptionIds.includes(id))!
  const { txid, vout, valueSats, offset } = await market.coinOf(id)
  return { txid, vout, valueSats, offset, escrowForm }
}

type Act = (one: Trader, limits: Limits) => Promise<unknown>

/** `begin` performs the other side's part without limits, and returns the part to test. */
const TRADES: Record<string, { side: TestTrader; begin(): Promise<Act> }> = {
  list: {
    side: seller,
    async begin() {
      const item = { inscriptionId: ids[1]!, priceSats: PRICE, coin: await market.coinOf(ids[1]!) }
      return (one, limits) => list(one, slug, [{ ...item, ...limits }])
    },
  },
  buy: {
    side: buyer,
    async begin() {
      await listAll(market, seller, slug, [ids[0]!], PRICE, 10_000)
      const terms = await agreementFor(market, buyer, [ids[0]!])
      return (one, limits) => buy(one, slug, { ...terms, ...limits })
    },
  },
  offer: {
    side: buyer,
    begin: async () => async (one, limits) => offer(one, slug, await offered(ids[2]!, limits, PRICE), 24),
  },
  accept: {
    side: seller,
    async begin() {
      const { offerId, priceSats } = await makeOffer(ids[2]!)
      return async (one, limits) => acceptOffer(one, offerId, await sale(ids[2]!, limits, priceSats))
    },
  },
  counter: {
    side: seller,
    async begin() {
      const { offerId } = await makeOffer(ids[3]!)
      return async (one, limits) => counter(one, offerId, await sale(ids[3]!, limits, 100_000))
    },
  },
  'accept a counter': {
    side: buyer,
    async begin() {
      const { offerId } = await makeOffer(ids[4]!)
      const counterOffer = await counter(seller, offerId, await sale(ids[4]!, GENEROUS, 100_000))
      const terms = await countered(market, buyer, ids[4]!, 100_000)
      return (one, limits) => acceptCounter(one, counterOffer.offerId, { ...terms, ...limits })
    },
  },
  fill: {
    side: seller,
    async begin() {
      const wish = { target: { kind: 'all' as const }, priceSats: PRICE, coins: await coinsOf(market, buyer) }
      const { offers } = await bid(buyer, slug, wish, 24)
      return async (one, limits) => {
        const terms = { ...(await sale(ids[5]!, limits)), evenBelowTopOffer: true }
        return fill(one, slug, offers[0]!.offerId, terms)
      }
    },
  },
  relist: {
    side: seller,
    async begin() {
      const terms = { inscriptionId: resting, priceSats: PRICE, escrow: await escrowAt(resting) }
      return (one, limits) => relist(one, [{ ...terms, ...limits, lastGeneration: 0 }])
    },
  },
  move: {
    side: seller,
    async begin() {
      const terms = { escrows: [await escrowAt(resting)], coins: await coinsOf(market, seller) }
      return (one, limits) => moveEscrows(one, { ...terms, ...limits })
    },
  },
  leave: {
    side: seller,
    async begin() {
      const escrow = await escrowAt(resting)
      const { cosignKey } = await keysOf({ ...seller })
      const escrows = [{ ...escrow, form: escrow.escrowForm, cosignKey }]
      const coins = await coinsOf(market, seller)
      const { feeRateMinSatVb: feeRateSatVb } = market.server.context.config
      return async ({ wallet }, { maxNetworkSats }) => {
        await exitEscrow(wallet, { escrows, coins, feeRateSatVb: feeRateSatVb!, maxNetworkSats })
        throw new Error('not sent')
      }
    },
  },
  'accept a swap': {
    side: buyer,
    async begin() {
      const proposer = await traderAtStorefront(market.server.url, seller.wallet)
      const acceptor = await traderAtStorefront(market.server.url, buyer.wallet)
      const itemOf = async (inscriptionId: string) => ({
        inscriptionId,
        coin: await market.coinOf(inscriptionId),
      })
      const created = await propose(proposer, {
        visibility: 'private',
        offeredInscriptionIds: [ids[6]!],
        offeredBtcSats: 0,
        wantedLegs: [{ collectionSlug: othersItems.slug, quantity: 1, target: { kind: 'all' as const } }],
        requestedBtcSats: 100_000,
      })
      const [taken] = othersItems.ids as [string]
      const terms = {
        gives: [await itemOf(taken)],
        gets: [await itemOf(ids[6]!)],
        netSats: -100_000,
        coins: await coinsOf(market, buyer),
      }
      const fills = [{ legId: created.wantedLegs[0]!.id, inscriptionId: taken }]
      return ({ wallet }, limits) =>
        acceptProposal({ ...unsent(acceptor), wallet }, created.id, fills, { ...terms, ...limits })
    },
  },
}

const FEES = /market and creator fees of \d+ sats exceed the agreed maximum of/
const PAYS = /(settlement leg pays|settlement pays you) \d+ sats, less than the agreed minimum of/
const NETWORK = /network fee of \d+ sats exceeds the agreed maximum of/
const LEAST = /the sale pays you \d+ sats after fees, less than the agreed minimum of/

it.each<[trade: string, limit: string, Settings, Partial<Limits>, RegExp]>([
  ['buy', 'a share for the market', HIGH_FEES, ONE_PERCENT, FEES],
  ['buy', 'a lowest fee', HIGH_LEAST, FLOOR, FEES],
  ['buy', "a creator's share", HIGH_ROYALTY, ONE_PERCENT, FEES],
  ['buy', 'the network', HIGH_RATE, CHEAP, NETWORK],
  [
    'buy',
    'the total',
    HIGH_FEES,
    { maxTotalSats: 62_000 },
    /purchase costs \d+ sats, which exceeds the agreed maximum of/,
  ],
  ['offer', 'a share for the market', HIGH_FEES, ONE_PERCENT, FEES],
  ['offer', 'a lowest fee', HIGH_LEAST, FLOOR, FEES],
  ['offer', "a creator's share", HIGH_ROYALTY, ONE_PERCENT, FEES],
  ['offer', 'the network', HIGH_RATE, CHEAP, NETWORK],
  ['accept a counter', 'a share for the market', HIGH_FEES, ONE_PERCENT, FEES],
  ['accept a counter', 'a lowest fee', HIGH_LEAST, FLOOR, FEES],
  ['accept a counter', "a creator's share", HIGH_ROYALTY, ONE_PERCENT, FEES],
  ['accept a counter', 'the network', HIGH_RATE, CHEAP, NETWORK],
  ['list', 'a share for the market', HIGH_FEES, ONE_PERCENT, PAYS],
  ['list', 'a lowest fee', HIGH_LEAST, FLOOR, PAYS],
  ['list', "a creator's share", HIGH_ROYALTY, ONE_PERCENT, PAYS],
  ['relist', 'a share for the market', HIGH_FEES, ONE_PERCENT, PAYS],
  ['relist', 'a lowest fee', HIGH_LEAST, FLOOR, PAYS],
  ['relist', "a creator's share", HIGH_ROYALTY, ONE_PERCENT, PAYS],
  ['counter', 'a share for the market', HIGH_FEES, ONE_PERCENT, PAYS],
  ['counter', 'a lowest fee', HIGH_LEAST, FLOOR, PAYS],
  ['counter', "a creator's share", HIGH_ROYALTY, ONE_PERCENT, PAYS],
  ['accept', 'a share for the market', HIGH_FEES, ONE_PERCENT, PAYS],
  ['accept', 'a lowest fee', HIGH_LEAST, FLOOR, PAYS],
  ['accept', "a creator's share", HIGH_ROYALTY, ONE_PERCENT, PAYS],
  ['accept', 'what the seller gets', HIGH_FEES, { leastSats: 58_000 }, LEAST],
  ['fill', 'a share for the market', HIGH_FEES, ONE_PERCENT, FEES],
  ['fill', 'a lowest fee', HIGH_LEAST, FLOOR, FEES],
  ['fill', "a creator's share", HIGH_ROYALTY, ONE_PERCENT, FEES],
  ['fill', 'the network', HIGH_RATE, CHEAP, NETWORK],
  ['fill', 'what the seller gets', HIGH_FEES, { leastSats: 45_000 }, LEAST],
  ['leave', 'the network', HIGH_RATE, CHEAP, NETWORK],
  ['move', 'the network', HIGH_RATE, CHEAP, NETWORK],
  [
    'accept a swap',
    'the market',
    HIGH_FEES,
    { maxMarketSats: 20_000 },
    /the market fee of 40000 sats exceeds the agreed maximum/,
  ],
  ['accept a swap', 'the network', HIGH_RATE, CHEAP, NETWORK],
])('%s: signs nothing above its limit for %s', async (name, _, settings, limits, reason) => {
  const { side, begin } = TRADES[name]!
  const one = unsent(side)
  await set(settings)
  const act = await begin()
  const refused = act(one, { ...GENEROUS, ...limits })
  await expect(refused).rejects.toThrow(reason)
  await expect(refused).rejects.toBeInstanceOf(CheckFailed)
  expect(one.wallet.asked).toEqual([])
  await expect(act(one, GENEROUS)).rejects.toThrow('not sent')
  expect(one.wallet.asked.length).toBeGreaterThan(0)
})
