import { bid, buy, counter, offer, propose } from '@ordbook/sdk/index.ts'
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { giveHats } from '../purchases/support/hats.ts'
import { agreementFor, listAll, type TestMarket, type TestTrader } from '../support/market.ts'
import { coinsOf, offering, selling } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'

/** What a program reads: a collection, an inscription of it, and the wallet that traded with both. */
export interface World {
  slug: string
  id: string
  reader: LocalWallet
}

/**
 * Fills a market so that every read of the reader returns rows: listings, a sale, offers and counters in both directions, collection
 * offers and proposals with each kind of target.
 */
export async function fillMarket(market: TestMarket): Promise<World> {
  const [reader, peer] = [await market.trader(), await market.trader()]
  await market.regtest.pay(
    [reader, peer].flatMap(({ wallet }) =>
      Array.from({ length: 8 }, () => ({ valueSats: 200_000, script: wallet.paymentScript })),
    ),
  )
  await market.mine()
  const { slug, ids } = await market.collection(peer.wallet, 5)
  await giveHats(market, slug, ids)
  const own = await market.collection(reader.wallet, 1)
  const [listed, sold, offered] = ids as [string, string, string]

  await listAll(market, peer, slug, [listed, sold], 30_000)
  await buy(reader, slug, await agreementFor(market, reader, [sold]))
  await market.mine()

  await offerOn(market, peer, own.slug, own.ids[0]!)
  await counter(peer, await offerOn(market, reader, slug, offered), await selling(market, offered, 45_000))
  const hats = { kind: 'traits', traits: [{ type: 'Hat', values: ['Cap'] }] } as const
  for (const target of [{ kind: 'all' } as const, hats])
    await bid(reader, slug, { target, priceSats: 15_000, coins: (await coinsOf(market, reader)).slice(-1) })
  await proposeEach(market, peer, slug, ids.slice(3, 5))
  return { slug, id: offered, reader: reader.wallet }
}

async function offerOn(market: TestMarket, buyer: TestTrader, slug: string, id: string): Promise<string> {
  const { items } = await offer(buyer, slug, await offering(market, buyer, [id], 40_000))
  return items[0]!.offerId
}

/** Proposes a swap for each kind of target. */
async function proposeEach(market: TestMarket, { wallet }: TestTrader, slug: string, ids: readonly string[]) {
  const [given, wanted] = ids as [string, string]
  const leg = { collectionSlug: slug, quantity: 1 }
  const wantedLegs = [
    { ...leg, target: { kind: 'all' as const } },
    { ...leg, target: { kind: 'traits' as const, traits: [{ type: 'Hat', values: ['Cap', 'None'] }] } },
    { ...leg, target: { kind: 'inscriptions' as const, inscriptionIds: [wanted] } },
  ]
  await propose(
    await traderAtStorefront(market.server.url, wallet),
    {
      visibility: 'public',
      offeredInscriptionIds: [given],
      offeredBtcSats: 0,
      wantedLegs,
      requestedBtcSats: 0,
    },
    [],
  )
}
