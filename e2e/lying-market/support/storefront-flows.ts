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

/** Loads the storefront's trading code outside a browser, with the globals that it needs. */
async function loadPages(origin: string) {
  const kept = new Map<string, string>()
  const localStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  }
  const parts = { location: new URL(origin), document: { getElementById: () => null }, localStorage }
  Object.assign(globalThis, parts)
  const { client } = await import(join(pages, 'api/client.ts'))
  return { client, trades: await import(join(pages, 'signing/trades.ts')) }
}

/** A wallet adapter, as for a wallet extension. */
const adapterOf = ({ wallet }: Trader): Adapter => ({
  id: 'test',
  name: 'Test',
  url: '',
  isPresent: () => true,
  connect: () => Promise.reject(new Error('is connected')),
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

/** All kinds of trades with the storefront's code, whose user accepts every review. See `flowsOf`. */
export async function* storefrontFlowsOf(market: TestMarket): AsyncGenerator<Flow & { spare: string[] }> {
  const origin = market.server.url
  const { client, trades } = await loadPages(origin)
  const here = await traderAtStorefront(origin, (await market.trader()).wallet)
  const there = await traderAtStorefront(origin, (await market.trader()).wallet)
  const other = await enter(market.base, there.wallet)
  const owner = await enter(market.base, here.wallet)
  const own = await market.collection(here.wallet, 9)
  const theirs = await market.collection(there.wallet, 7)
  await market.anchors(20)
  const settings = await here.client.call('getMarket')
  const progress = { checks() {}, signs() {}, sends() {}, sent() {} }
  const flow = (name: string, act: (trading: unknown) => Promise<unknown>): Flow & { spare: string[] } => ({
    name: `storefront: ${name}`,
    trader: here as TestTrader,
    spare: [own.ids[8]!],
    web: true,
    // Its review lists the payment coins.
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

  const wishes = own.ids
    .slice(0, 2)
    .map((inscriptionId) => ({ inscriptionId, priceSats: 50_000, feeBps: 100 }))
  yield flow('list', (trading) => trades.listItems(trading, own.slug, wishes, 7))

  const listed = await listAll(market, other, theirs.slug, theirs.ids.slice(0, 2), 50_000)
  const wanted = [...listed].map(([inscriptionId, listingId]) => ({
    inscriptionId,
    listingId,
    priceSats: 50_000,
    name: inscriptionId,
  }))
  yield flow('buy', (trading) => trades.buyItems(trading, theirs.slug, wanted, 0))
  await market.mine()

  const wish = { priceSats: 40_000, hours: 24, royaltyBps: 0, coins: null }
  yield flow('offer', (trading) => trades.makeOffer(trading, theirs.slug, theirs.ids[2], wish))

  const first = await offer(other, own.slug, await offering(market, other, [own.ids[2]!], 40_000), 24)
  const accepted = { inscriptionId: own.ids[2]!, offerId: first.items[0]!.offerId, priceSats: 40_000 }
  yield flow('accept', (trading) => trades.acceptOfferOf(trading, accepted, 0))
  await market.mine()

  const second = await offer(other, own.slug, await offering(market, other, [own.ids[3]!], 40_000), 24)
  const countered = { inscriptionId: own.ids[3]!, offerId: second.items[0]!.offerId }
  yield flow('counter', (trading) => trades.counterOffer(trading, countered, 80_000, 0))

  const third = await offer(owner, theirs.slug, await offering(market, owner, [theirs.ids[3]!], 40_000), 24)
  const price = await selling(market, theirs.ids[3]!, 80_000)
  const { offerId } = await counter(other, third.items[0]!.offerId, price)
  const at = { inscriptionId: theirs.ids[3]!, offerId, priceSats: 80_000 }
  yield flow('accept a counter', (trading) => trades.acceptCounterOf(trading, at, 0))
  await market.mine()

  const bid = {
    target: { kind: 'all' },
    priceSats: 40_000,
    count: 1,
    stepSats: 0,
    hours: 24,
    about: theirs.slug,
    coins: null,
  }
  yield flow('bid', (trading) => trades.makeBid(trading, theirs.slug, bid))

  const proposal = await propose(
    there,
    {
      visibility: 'public',
      offeredInscriptionIds: [theirs.ids[4]!],
      offeredBtcSats: 0,
      wantedLegs: [{ collectionSlug: own.slug, quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: 30_000,
    },
    await coinsOf(market, other),
  )
  const shown = await here.client.call('getProposal', { params: { proposalId: proposal.id } })
  const fills = [{ legId: proposal.wantedLegs[0]!.id, inscriptionId: own.ids[4]! }]
  yield flow('accept a swap', (trading) => trades.acceptTrade(trading, shown, fills))

  const mine = await propose(
    here,
    {
      visibility: 'public',
      offeredInscriptionIds: [own.ids[5]!],
      offeredBtcSats: 0,
      wantedLegs: [{ collectionSlug: theirs.slug, quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: 30_000,
    },
    await coinsOf(market, owner),
  )
  const known = async (inscriptionId: string) => ({ inscriptionId, coin: await market.coinOf(inscriptionId) })
  await acceptProposal(there, mine.id, [{ legId: mine.wantedLegs[0]!.id, inscriptionId: theirs.ids[5]! }], {
    gives: [await known(theirs.ids[5]!)],
    gets: [await known(own.ids[5]!)],
    netSats: -30_000,
    coins: await coinsOf(market, other),
    maxMarketSats: 20_000,
    maxNetworkSats: 20_000,
  })
  const { acceptances } = await here.client.call('listAcceptances', { query: { view: 'received' } })
  yield flow('settle a swap', (trading) => trades.settleTrade(trading, acceptances[0]))
  await market.mine()

  const form = { inscriptionIds: [own.ids[6]!] }
  await rested(market, owner, own.slug, [own.ids[6]!, own.ids[7]!])
  const relisted = [{ ...form, priceSats: 120_000, feeBps: 100 }]
  yield flow('relist', (trading) => trades.relistItems(trading, relisted, 7))
  yield flow('move', (trading) => trades.moveItems(trading, [form]))
  await market.mine()
  yield flow('reclaim', (trading) => trades.reclaimItems(trading, [{ inscriptionIds: [own.ids[7]!] }]))
  await market.mine()
  yield flow('leave', (trading) => trades.leaveEscrow(trading, [form]))
  await market.mine()
}
