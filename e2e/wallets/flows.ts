import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import {
  type AcceptanceAgreement,
  acceptCounter,
  acceptOffer,
  acceptProposal,
  bid,
  buy,
  counter,
  delist,
  exitEscrow,
  type Flow,
  fill,
  list,
  keysOf as marketKeysOf,
  offer,
  propose,
  settle,
  type Wallet,
} from '@ordbook/sdk/index.ts'
import { isHome, strand } from '../escrows/support/escrow-market.ts'
import { agreementFor, enter, type keyHolder, type TestMarket, type TestTrader } from '../support/market.ts'
import { selling } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'

/** Both sides of a trade: the wallet under test, and a wallet with known keys. */
export interface Sides {
  market: TestMarket
  /** For the sign-in flow. `tested` may have signed in differently. */
  wallet: Wallet
  tested: TestTrader
  other: TestTrader
  otherKeys: Awaited<ReturnType<typeof keyHolder>>['keys']
}

const PRICE = 100_000

/** Payment coins only: a wallet with one address also has inscriptions there. */
const coinsOf = async ({ market }: Sides, { wallet }: TestTrader) =>
  (await market.regtest.coinsOf(wallet.paymentScript)).filter(({ valueSats }) => valueSats > 50_000)

async function owned({ market }: Sides, owner: TestTrader): Promise<{ slug: string; id: string }> {
  const { slug, ids } = await market.collection(owner.wallet, 1)
  await market.anchors(4)
  return { slug, id: ids[0]! }
}

/** Mines a block. Throws if the node disagrees that the trader now owns the inscription. */
async function demandHeld({ market }: Sides, id: string, { wallet }: TestTrader): Promise<void> {
  await market.mine()
  const out = await market.server.context.node.txOut(await market.coinOf(id))
  if (!out || !equalBytes(out.script, wallet.ordinalsScript))
    throw new Error('the trade did not deliver the inscription')
}

async function listed(sides: Sides, seller: TestTrader) {
  const item = await owned(sides, seller)
  const coin = await sides.market.coinOf(item.id)
  const agreement = { inscriptionId: item.id, priceSats: PRICE, coin, maxFeeBps: 100 }
  const { listings } = await list(seller, item.slug, [agreement])
  return { ...item, listingId: listings[0]!.listingId }
}

async function bought(sides: Sides, seller: TestTrader, buyer: TestTrader): Promise<void> {
  const { slug, id } = await listed(sides, seller)
  const coins = await coinsOf(sides, buyer)
  await buy(buyer, slug, { ...(await agreementFor(sides.market, buyer, [id])), coins })
  await demandHeld(sides, id, buyer)
}

const terms = async (sides: Sides, buyer: TestTrader, priceSats: number) => ({
  priceSats,
  coins: await coinsOf(sides, buyer),
  maxFeeBps: 100,
  maxNetworkSats: 20_000,
})

async function offered(sides: Sides, seller: TestTrader, buyer: TestTrader) {
  const { slug, id } = await owned(sides, seller)
  const items = [{ inscriptionId: id, coin: await sides.market.coinOf(id) }]
  const created = await offer(buyer, slug, { ...(await terms(sides, buyer, PRICE)), items })
  return { slug, id, offerId: created.items[0]!.offerId }
}

async function accepted(sides: Sides, seller: TestTrader, buyer: TestTrader): Promise<void> {
  const { id, offerId } = await offered(sides, seller, buyer)
  await acceptOffer(seller, offerId, await selling(sides.market, id, PRICE))
  await demandHeld(sides, id, buyer)
}

async function countered(sides: Sides, seller: TestTrader, buyer: TestTrader): Promise<void> {
  const { market } = sides
  const { id, offerId } = await offered(sides, seller, buyer)
  const counterOffer = await counter(seller, offerId, await selling(market, id, PRICE + 5000))
  await acceptCounter(buyer, counterOffer.offerId, {
    ...(await terms(sides, buyer, PRICE + 5000)),
    inscriptionId: id,
    coin: await market.coinOf(id),
  })
  await demandHeld(sides, id, buyer)
}

async function filled(sides: Sides, seller: TestTrader, buyer: TestTrader): Promise<void> {
  const { slug, id } = await owned(sides, seller)
  const coins = await coinsOf(sides, buyer)
  const created = await bid(buyer, slug, { target: { kind: 'all' }, priceSats: PRICE, coins })
  await fill(seller, slug, created.offers[0]!.offerId, await selling(sides.market, id, PRICE, 300))
  await demandHeld(sides, id, buyer)
}

async function swapped(sides: Sides, proposing: TestTrader, accepting: TestTrader): Promise<void> {
  const { market } = sides
  const proposer = await traderAtStorefront(market.server.url, proposing.wallet)
  const acceptor = await traderAtStorefront(market.server.url, accepting.wallet)
  const givenId = await owned(sides, proposer)
  const wantedId = await owned(sides, acceptor)
  const itemOf = async (inscriptionId: string) => [
    { inscriptionId, coin: await market.coinOf(inscriptionId) },
  ]
  const [gives, gets] = [await itemOf(givenId.id), await itemOf(wantedId.id)]
  const proposersCoins = await coinsOf(sides, proposer)
  const proposal = await propose(
    proposer,
    {
      visibility: 'public',
      offeredInscriptionIds: [givenId.id],
      offeredBtcSats: 20_000,
      wantedLegs: [{ collectionSlug: wantedId.slug, quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: 0,
    },
    proposersCoins,
  )
  const agreement: AcceptanceAgreement = {
    gives: gets,
    gets: gives,
    netSats: 20_000,
    coins: await coinsOf(sides, acceptor),
    maxMarketSats: 100_000,
    maxNetworkSats: 100_000,
  }
  const fills = [{ legId: proposal.wantedLegs[0]!.id, inscriptionId: wantedId.id }]
  const { acceptanceId } = await acceptProposal(acceptor, proposal.id, fills, agreement)
  await settle(proposer, acceptanceId, {
    gives,
    gets,
    netSats: -20_000,
    coins: proposersCoins,
  })
  await demandHeld(sides, givenId.id, acceptor)
  await demandHeld(sides, wantedId.id, proposer)
}

export const RUNS: Record<Flow, (sides: Sides) => Promise<void>> = {
  'sign-in': async ({ market, wallet }) => void (await enter(market.base, wallet as TestTrader['wallet'])),
  list: (sides) => bought(sides, sides.tested, sides.other),
  delist: async (sides) => {
    const { tested } = sides
    const { slug, id, listingId } = await listed(sides, tested)
    await delist(tested, slug, [{ inscriptionId: id, listingId }])
    const { listings } = await tested.client.call('listListings', { query: { inscriptionId: id } })
    if (listings.length > 0) throw new Error('the listing is still in the book')
  },
  buy: (sides) => bought(sides, sides.other, sides.tested),
  offer: (sides) => accepted(sides, sides.other, sides.tested),
  accept: (sides) => accepted(sides, sides.tested, sides.other),
  counter: (sides) => countered(sides, sides.tested, sides.other),
  'accept-counter': (sides) => countered(sides, sides.other, sides.tested),
  bid: (sides) => filled(sides, sides.other, sides.tested),
  fill: (sides) => filled(sides, sides.tested, sides.other),
  'accept-swap': (sides) => swapped(sides, sides.other, sides.tested),
  'propose-swap': (sides) => swapped(sides, sides.tested, sides.other),
  exit: async (sides) => {
    const { market, tested, other, otherKeys } = sides
    const { slug, id } = await listed(sides, tested)
    await strand(market, other, otherKeys.payment, slug, [id])
    await market.mine()
    const coin = await market.coinOf(id)
    const { cosignKey } = await marketKeysOf(tested)
    const { tx } = await exitEscrow(tested.wallet, {
      escrows: [{ ...coin, form: 'wallet', cosignKey }],
      coins: await coinsOf(sides, tested),
      feeRateSatVb: 3,
    })
    await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
    await market.mine()
    if (!(await isHome(market, id, tested))) throw new Error('the inscription did not return to its owner')
  },
}
