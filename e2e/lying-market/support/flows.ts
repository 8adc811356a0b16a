import { randomBytes } from 'node:crypto'
import { addressOfScript, type KeySpend, p2trScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import {
  acceptCounter,
  acceptOffer,
  acceptProposal,
  bid,
  buy,
  Client,
  counter,
  fill,
  list,
  offer,
  propose,
  settle,
  type Trader,
} from '@ordbook/sdk/index.ts'
import { agreementFor, listAll, type TestMarket, type TestTrader } from '../../support/market.ts'
import { coinsOf, countered, offering, selling } from '../../support/offers.ts'
import { traderAtStorefront } from '../../support/storefront.ts'
import type { Liar } from '../exchange.ts'
import type { LyingMarket } from '../proxy.ts'
import { type RecordingWallet, recording } from '../recording-wallet.ts'

/** A trade in which one side is about to sign. */
export interface Flow {
  name: string
  trader: TestTrader
  /** Runs the trade from preflight to submit. The client may belong to a proxy. */
  attempt(trader: Trader): Promise<unknown>
  /** Uses the web API with cookie sessions. */
  web?: boolean
  while?: { feeRateMinSatVb: number }
  /** Reads that select payment coins. A false coin is harmless, because the signature would be invalid. */
  chooses?: RegExp
  maxNetworkSats?: bigint
  /** Names of lies about reads that do not affect this trade. */
  unread?: RegExp
}

/** The flow that broadcasts with a node instead of the market. */
export const BY_NODE = 'exit'

/** Lies about market keys that a trade does not use, by the unused keys. */
export const UNREAD = {
  guardian: /^guardianKey/,
  keys: /^(cosignKey|guardianKey)/,
  /** A swap without a market fee uses no key. */
  all: /^(cosignKey|guardianKey|marketAddress)/,
  address: /^marketAddress/,
  allButCosigner: /^(marketAddress|guardianKey)/,
}

/** Returns a trader that uses a proxy and has not contacted it yet. The wallet records its requests. */
export function behind(
  proxy: LyingMarket,
  flow: Flow,
  atOnce: boolean,
): Trader & { wallet: RecordingWallet } {
  const client = new Client(`${proxy.url}${flow.web ? '/web/v1' : '/api/v1'}`)
  client.token = flow.trader.client.token
  client.headers = flow.trader.client.headers
  const { walletBindingId, wallet } = flow.trader
  return { walletBindingId, client, wallet: recording(wallet, atOnce) }
}

/** Builds a liar that knows the wallet's scripts and some coins outside the trade. */
export async function liarAgainst(
  market: TestMarket,
  { wallet }: TestTrader,
  spareIds: readonly string[],
): Promise<Liar> {
  const key = xOnlyKeyOf(new Uint8Array(randomBytes(32)))
  const script = p2trScript(key)
  const spareInscriptions = []
  for (const inscriptionId of spareIds)
    spareInscriptions.push({ ...(await market.coinOf(inscriptionId)), inscriptionId })
  return {
    key,
    script,
    address: addressOfScript(script, 'regtest')!,
    coin: { txid: bytesToHex(randomBytes(32)), vout: 1, valueSats: 90_000, script },
    victim: {
      ordinals: {
        address: wallet.ordinalsAddress,
        script: wallet.ordinalsScript,
        publicKey: wallet.ordinalsPublicKey,
      },
      payment: {
        address: wallet.paymentAddress,
        script: wallet.paymentScript,
        publicKey: wallet.paymentPublicKey,
      },
      spareCoins: [
        { txid: bytesToHex(randomBytes(32)), vout: 0, valueSats: 3_000_000, script: wallet.paymentScript },
      ],
      spareInscriptions,
    },
  }
}

/** Yields all kinds of trades; each prepares the next. `spare`: inscriptions of both sides that no trade uses. */
export async function* flowsOf(
  market: TestMarket,
  kind: KeySpend['kind'],
): AsyncGenerator<Flow & { spare: string[] }> {
  const seller = await market.trader(kind)
  const buyer = await market.trader(kind)
  const { slug, ids } = await market.collection(seller.wallet, 8)
  const buyersItems = await market.collection(buyer.wallet, 2)
  await market.anchors(12)
  const sellers = { trader: seller, spare: [ids[7]!] }
  const buyers = { trader: buyer, spare: [buyersItems.ids[1]!] }
  const agreed = async (id: string, priceSats: number) => ({
    inscriptionId: id,
    priceSats,
    coin: await market.coinOf(id),
    maxFeeBps: 100,
  })

  const listing = [await agreed(ids[0]!, 50_000), await agreed(ids[1]!, 60_000)]
  yield {
    ...sellers,
    name: 'list',
    unread: UNREAD.guardian,
    attempt: (trader) => list(trader, slug, listing),
  }

  const purchase = await agreementFor(market, buyer, ids.slice(0, 2))
  yield { ...buyers, name: 'buy', unread: UNREAD.guardian, attempt: (trader) => buy(trader, slug, purchase) }
  await market.mine()

  await listAll(market, seller, slug, [ids[2]!], 50_000)
  const poor = await market.trader(kind, 1_000_000)
  await market.regtest.pay(Array(26).fill({ valueSats: 2620, script: poor.wallet.paymentScript }))
  await market.mine()
  const dust = await agreementFor(market, poor, [ids[2]!])
  dust.coins = dust.coins.filter((coin) => coin.valueSats === 2620)
  yield {
    ...buyers,
    trader: poor,
    name: 'buy from dust',
    unread: UNREAD.guardian,
    attempt: (trader) => buy(trader, slug, dust),
  }
  await market.mine()

  const offered = await offering(market, buyer, [ids[3]!], 40_000)
  const offers: { items: { offerId: string }[] }[] = []
  yield {
    ...buyers,
    name: 'offer',
    unread: UNREAD.keys,
    attempt: async (trader) => offers.push(await offer(trader, slug, offered, 24)),
  }
  const sale = await selling(market, ids[3]!, 40_000)
  yield {
    ...sellers,
    name: 'accept',
    attempt: (trader) => acceptOffer(trader, offers[0]!.items[0]!.offerId, sale),
  }
  await market.mine()

  const second = await offer(buyer, slug, await offering(market, buyer, [ids[4]!], 40_000), 24)
  const saleWithPayout = await selling(market, ids[4]!, 40_000)
  yield {
    ...sellers,
    name: 'accept with a payout',
    while: { feeRateMinSatVb: 9 },
    attempt: (trader) => acceptOffer(trader, second.items[0]!.offerId, saleWithPayout),
  }
  await market.mine()

  const third = await offer(buyer, slug, await offering(market, buyer, [ids[5]!], 40_000), 24)
  const price = await selling(market, ids[5]!, 80_000)
  const counters: { offerId: string }[] = []
  yield {
    ...sellers,
    name: 'counter',
    unread: UNREAD.guardian,
    attempt: async (trader) => counters.push(await counter(trader, third.items[0]!.offerId, price)),
  }
  const takes = await countered(market, buyer, ids[5]!, 80_000)
  yield {
    ...buyers,
    name: 'accept a counter',
    unread: UNREAD.guardian,
    attempt: (trader) => acceptCounter(trader, counters[0]!.offerId, takes),
  }
  await market.mine()

  const bids: { offers: { offerId: string }[] }[] = []
  const bidTerms = {
    target: { kind: 'all' as const },
    priceSats: 50_000,
    coins: await coinsOf(market, buyer),
    eligibleIds: ids,
  }
  yield {
    ...buyers,
    name: 'bid',
    unread: UNREAD.address,
    attempt: async (trader) => bids.push(await bid(trader, slug, bidTerms, 24)),
  }
  const filling = await selling(market, ids[6]!, 50_000, 250)
  yield {
    ...sellers,
    name: 'fill',
    unread: UNREAD.keys,
    attempt: (trader) => fill(trader, slug, bids[0]!.offers[0]!.offerId, filling),
  }
  await market.mine()

  const proposer = await traderAtStorefront(market.server.url, seller.wallet)
  const acceptor = await traderAtStorefront(market.server.url, buyer.wallet)
  const takenId = buyersItems.ids[0]!
  const gives = [{ inscriptionId: ids[7]!, coin: await market.coinOf(ids[7]!) }]
  const gets = [{ inscriptionId: takenId, coin: await market.coinOf(takenId) }]
  const proposal = await propose(
    proposer,
    {
      visibility: 'public',
      offeredInscriptionIds: [ids[7]!],
      offeredBtcSats: 0,
      wantedLegs: [{ collectionSlug: buyersItems.slug, quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: 30_000,
    },
    await coinsOf(market, seller),
  )
  const acceptances: { acceptanceId: string }[] = []
  const paid = await coinsOf(market, buyer)
  yield {
    trader: acceptor as TestTrader,
    spare: [buyersItems.ids[1]!],
    web: true,
    name: 'accept a swap',
    unread: UNREAD.all,
    attempt: async (trader) =>
      acceptances.push(
        await acceptProposal(
          trader,
          proposal.id,
          [{ legId: proposal.wantedLegs[0]!.id, inscriptionId: takenId }],
          {
            gives: gets,
            gets: gives,
            netSats: -30_000,
            coins: paid,
            maxMarketSats: 20_000,
            maxNetworkSats: 20_000,
          },
        ),
      ),
  }
  const sellersCoins = await coinsOf(market, seller)
  yield {
    trader: proposer as TestTrader,
    spare: [],
    web: true,
    name: 'settle a swap',
    unread: UNREAD.all,
    attempt: (trader) =>
      settle(trader, acceptances[0]!.acceptanceId, {
        gives,
        gets,
        netSats: 30_000,
        coins: sellersCoins,
      }),
  }
  await market.mine()
}
