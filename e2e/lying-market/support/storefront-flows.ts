import { join } from 'node:path'
import { acceptProposal, counter, offer, propose } from '@ordbook/sdk/index.ts'
import type { Trader } from '@ordbook/sdk/trader.ts'
import type { Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { rested } from '../../escrows/support/escrow-market.ts'
import { enter, listAll, type TestMarket, type TestTrader } from '../../support/market.ts'
import { coinsOf, offering, selling } from '../../support/offers.ts'
import { traderAtStorefront } from '../../support/storefront.ts'
import type { Flow } from './flows.ts'

const pages = join(import.meta.dirname, '../../../web-ui/src')

/** Loads the storefront's trading code outside a browser. */
async function loadPages(origin: string) {
  const stored = new Map<string, string>()
  const localStorage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  }
  const parts = { location: new URL(origin), document: { getElementById: () => null }, localStorage }
  Object.assign(globalThis, parts)
  const { client } = await import(join(pages, 'api/client.ts'))
  return { client, trades: await import(join(pages, 'signing/trades.ts')) }
}

const adapterOf = ({ wallet }: Trader): Adapter => ({
  id: 'test',
  name: 'Test',
  url: '',
  isPresent: () => true,
  connect: () => Promise.reject(new Error('already connected')),
  signMessage: ({ address }, message) => wallet.signMessage(address, message),
  async signPsbts(requests, _accounts, onSigned) {
    const signed: string[] = []
    for (const [n, { psbtBase64, inputsToSign }] of requests.entries()) {
      signed.push(await wallet.signPsbt(psbtBase64, inputsToSign))
      onSigned?.(n, signed[n]!)
    }
    return signed
  },
})

/** Yields all kinds of trades with the storefront's code, accepting every review. See `flowsOf`. */
export async function* storefrontFlowsOf(market: TestMarket): AsyncGenerator<Flow & { spare: string[] }> {
  const origin = market.server.url
  const { client, trades } = await loadPages(origin)
  const user = await traderAtStorefront(origin, (await market.trader()).wallet)
  const counterparty = await traderAtStorefront(origin, (await market.trader()).wallet)
  const other = await enter(market.base, counterparty.wallet)
  const owner = await enter(market.base, user.wallet)
  const ownItems = await market.collection(user.wallet, 9)
  const othersItems = await market.collection(counterparty.wallet, 7)
  await market.anchors(20)
  const settings = await user.client.call('getMarket')
  const progress = { checks() {}, signs() {}, sends() {}, sent() {} }
  const flow = (name: string, act: (trading: unknown) => Promise<unknown>): Flow & { spare: string[] } => ({
    name: `storefront: ${name}`,
    trader: user as TestTrader,
    spare: [ownItems.ids[8]!],
    web: true,
    // The review shows the payment coins.
    chooses: name === 'leave' ? /^GET \/(coins|inscriptions\/.*)$/ : /^GET \/coins$/,
    maxNetworkSats: 200_000n,
    attempt(trader) {
      const { ordinalsAddress, ordinalsPublicKey, paymentAddress, paymentPublicKey } = trader.wallet
      client.headers.cookie = trader.client.headers.cookie
      const accounts = {
        ordinals: { address: ordinalsAddress, publicKey: ordinalsPublicKey },
        payment: { address: paymentAddress, publicKey: paymentPublicKey },
      }
      const signed = { adapter: adapterOf(trader), accounts, walletBindingId: trader.walletBindingId }
      return act({ signed, market: settings, progress })
    },
  })

  const wishes = ownItems.ids
    .slice(0, 2)
    .map((inscriptionId) => ({ inscriptionId, priceSats: 50_000, feeBps: 100 }))
  yield flow('list', (trading) => trades.listItems(trading, ownItems.slug, wishes, 7))

  const listed = await listAll(market, other, othersItems.slug, othersItems.ids.slice(0, 2), 50_000)
  const cartItems = [...listed].map(([inscriptionId, listingId]) => ({
    inscriptionId,
    listingId,
    priceSats: 50_000,
    name: inscriptionId,
  }))
  yield flow('buy', (trading) => trades.buyItems(trading, othersItems.slug, cartItems, 0))
  await market.mine()

  const bidInput = { priceSats: 40_000, hours: 24, royaltyBps: 0, coins: null }
  yield flow('offer', (trading) => trades.makeOffer(trading, othersItems.slug, othersItems.ids[2], bidInput))

  const first = await offer(
    other,
    ownItems.slug,
    await offering(market, other, [ownItems.ids[2]!], 40_000),
    24,
  )
  const accepted = { inscriptionId: ownItems.ids[2]!, offerId: first.items[0]!.offerId, priceSats: 40_000 }
  yield flow('accept', (trading) => trades.acceptOfferOf(trading, accepted, 0))
  await market.mine()

  const second = await offer(
    other,
    ownItems.slug,
    await offering(market, other, [ownItems.ids[3]!], 40_000),
    24,
  )
  const countered = { inscriptionId: ownItems.ids[3]!, offerId: second.items[0]!.offerId }
  yield flow('counter', (trading) => trades.counterOffer(trading, countered, 80_000, 0))

  const third = await offer(
    owner,
    othersItems.slug,
    await offering(market, owner, [othersItems.ids[3]!], 40_000),
    24,
  )
  const price = await selling(market, othersItems.ids[3]!, 80_000)
  const { offerId } = await counter(other, third.items[0]!.offerId, price)
  const at = { inscriptionId: othersItems.ids[3]!, offerId, priceSats: 80_000 }
  yield flow('accept a counter', (trading) => trades.acceptCounterOf(trading, at, 0))
  await market.mine()

  const bid = {
    target: { kind: 'all' },
    priceSats: 40_000,
    count: 1,
    stepSats: 0,
    hours: 24,
    about: othersItems.slug,
    coins: null,
  }
  yield flow('bid', (trading) => trades.makeBid(trading, othersItems.slug, bid))

  const proposal = await propose(
    counterparty,
    {
      visibility: 'public',
      offeredInscriptionIds: [othersItems.ids[4]!],
      offeredBtcSats: 0,
      wantedLegs: [{ collectionSlug: ownItems.slug, quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: 30_000,
    },
    await coinsOf(market, other),
  )
  const loadedProposal = await user.client.call('getProposal', { params: { proposalId: proposal.id } })
  const fills = [{ legId: proposal.wantedLegs[0]!.id, inscriptionId: ownItems.ids[4]! }]
  yield flow('accept a swap', (trading) => trades.acceptTrade(trading, loadedProposal, fills))

  const mine = await propose(
    user,
    {
      visibility: 'public',
      offeredInscriptionIds: [ownItems.ids[5]!],
      offeredBtcSats: 0,
      wantedLegs: [{ collectionSlug: othersItems.slug, quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: 30_000,
    },
    await coinsOf(market, owner),
  )
  const itemOf = async (inscriptionId: string) => ({
    inscriptionId,
    coin: await market.coinOf(inscriptionId),
  })
  await acceptProposal(
    counterparty,
    mine.id,
    [{ legId: mine.wantedLegs[0]!.id, inscriptionId: othersItems.ids[5]! }],
    {
      gives: [await itemOf(othersItems.ids[5]!)],
      gets: [await itemOf(ownItems.ids[5]!)],
      netSats: -30_000,
      coins: await coinsOf(market, other),
      maxMarketSats: 20_000,
      maxNetworkSats: 20_000,
    },
  )
  const { acceptances } = await user.client.call('listAcceptances', { query: { view: 'received' } })
  yield flow('settle a swap', (trading) => trades.settleTrade(trading, acceptances[0]))
  await market.mine()

  const form = { inscriptionIds: [ownItems.ids[6]!] }
  await rested(market, owner, ownItems.slug, [ownItems.ids[6]!, ownItems.ids[7]!])
  const relisted = [{ ...form, priceSats: 120_000, feeBps: 100 }]
  yield flow('relist', (trading) => trades.relistItems(trading, relisted, 7))
  yield flow('move', (trading) => trades.moveItems(trading, [form]))
  await market.mine()
  yield flow('reclaim', (trading) => trades.reclaimItems(trading, [{ inscriptionIds: [ownItems.ids[7]!] }]))
  await market.mine()
  yield flow('leave', (trading) => trades.leaveEscrow(trading, [form]))
  await market.mine()
}
