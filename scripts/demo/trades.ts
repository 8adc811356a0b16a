import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { Regtest } from '@ordbook/devnet/regtest.ts'
import { demoCollectors, demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import {
  bid,
  buy,
  Client,
  coinOfItem,
  type LocalWallet,
  list,
  offer,
  propose,
  signInWeb,
  type Trader,
} from '@ordbook/sdk/index.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import { POSTAGE_SATS } from './seed.ts'

type Visitor = Trader & { wallet: LocalWallet }
type Item = Answer<'listCollectionInscriptions'>['items'][number]

/** Shares of the first price of a collection, in the order of its items. */
const ASKS = [1.08, 1.15, 1.3, 1.42, 1.6, 1.75, 2.2]
const LISTED = {
  'harbour-lamps': 110_000,
  'night-watch': 260_000,
  'signal-flags': 70_000,
  buoys: 150_000,
} as const
/** Most listings of one wallet in a collection. */
const EACH = 3

/**
 * Opens the demo's order book through the running market, as any visitor would: listings of several wallets, a sale, offers, offers for
 * collections and a proposal. A second call does nothing.
 */
export async function openTheBook(
  url: string,
  rpcUrl: string,
  directory: string,
  network: AddressNetwork,
  say: (text: string) => void,
): Promise<void> {
  const done = join(directory, 'demo-trades.done')
  if (existsSync(done)) return
  say('collectors list, bid and trade')
  const regtest = new Regtest(rpcUrl)
  const { first, second } = demoWallets(network)
  const collectors = demoCollectors(network).map(({ wallet }) => wallet)
  await fundPayments(regtest, collectors)
  const enter = async (wallet: LocalWallet): Promise<Visitor> => {
    const client = new Client(`${url}/web/v1`)
    const { walletBindings } = await signInWeb(client, wallet, new URL(url).host)
    return { client, wallet, walletBindingId: walletBindings[0]!.walletBindingId }
  }
  const visitors = await Promise.all([first, second, ...collectors].map(enter))
  const [owner, buyer, ...others] = visitors as [Visitor, Visitor, ...Visitor[]]
  for (const [slug, price] of Object.entries(LISTED)) await listSome(visitors, slug, price)
  await buyCheapest(regtest, buyer, 'harbour-lamps')
  const [one, other] = others as [Visitor, Visitor]
  const lamps = await itemsOf(owner, 'harbour-lamps')
  await bid(one, 'harbour-lamps', {
    target: { kind: 'all' },
    priceSats: 85_000,
    offerCount: 3,
    ladderStepSats: 5000,
    coins: await regtest.coinsOf(one.wallet.paymentScript),
  })
  await bid(other, 'night-watch', {
    target: { kind: 'traits', traits: [{ type: 'Moon', values: ['full'] }] },
    priceSats: 245_000,
    coins: await regtest.coinsOf(other.wallet.paymentScript),
  })
  const wanted = lamps.find(
    (each) => each.owner === owner.wallet.ordinalsAddress && each.listingState === null,
  )!
  await offer(buyer, 'harbour-lamps', {
    items: [{ inscriptionId: wanted.inscriptionId, coin: coinOfItem(wanted, POSTAGE_SATS) }],
    priceSats: 82_000,
    coins: await regtest.coinsOf(buyer.wallet.paymentScript),
    maxFeeBps: 500,
    maxNetworkSats: 50_000,
  })
  const flag = (await itemsOf(other, 'signal-flags')).find(
    (each) => each.owner === other.wallet.ordinalsAddress && each.listingState === null,
  )
  if (flag)
    await propose(other, {
      visibility: 'public',
      offeredInscriptionIds: [flag.inscriptionId],
      offeredBtcSats: 0,
      wantedLegs: [{ collectionSlug: 'harbour-lamps', quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: 0,
    })
  writeFileSync(done, '')
}

/** Pays those collectors who have no coin to pay with. */
async function fundPayments(regtest: Regtest, wallets: readonly LocalWallet[]): Promise<void> {
  const poor = []
  for (const { paymentScript } of wallets)
    if ((await regtest.coinsOf(paymentScript)).length === 0) poor.push(paymentScript)
  if (poor.length === 0) return
  await regtest.pay(
    poor.flatMap((script) => [10_000_000, 5_000_000].map((valueSats) => ({ valueSats, script }))),
  )
  await regtest.mine()
}

async function itemsOf({ client }: Visitor, slug: string): Promise<Item[]> {
  const { items } = await client.call('listCollectionInscriptions', {
    params: { slug },
    query: { limit: 60 },
  })
  return items
}

/** Each of the owners lists some items of a collection at rising prices; the last of the first owner stays unlisted. */
async function listSome(visitors: readonly Visitor[], slug: string, priceSats: number): Promise<void> {
  const items = await itemsOf(visitors[0]!, slug)
  let asked = 0
  for (const visitor of visitors) {
    const own = items.filter(
      (each) => each.owner === visitor.wallet.ordinalsAddress && each.listingState === null,
    )
    const agreements = own.slice(0, Math.min(EACH, own.length - 1)).map((item) => ({
      inscriptionId: item.inscriptionId,
      priceSats: Math.round((priceSats * ASKS[asked++ % ASKS.length]!) / 1000) * 1000,
      coin: coinOfItem(item, POSTAGE_SATS),
      maxFeeBps: 500,
    }))
    if (agreements.length > 0) await list(visitor, slug, agreements, 7)
  }
}

/** A sale through this market. */
async function buyCheapest(regtest: Regtest, buyer: Visitor, slug: string): Promise<void> {
  const { listings } = await buyer.client.call('listListings', { query: { collectionSlug: slug } })
  const [cheapest] = listings
    .filter((each) => each.sellerAddress !== buyer.wallet.ordinalsAddress)
    .toSorted((a, b) => a.priceSats - b.priceSats)
  if (!cheapest) return
  const { inscriptionId, listingId, priceSats } = cheapest
  await buy(buyer, slug, {
    items: [{ inscriptionId, listingId, priceSats, coin: coinOfItem(cheapest) }],
    coins: await regtest.coinsOf(buyer.wallet.paymentScript),
    maxFeeBps: 500,
    maxNetworkSats: 50_000,
  })
  await regtest.mine()
}
