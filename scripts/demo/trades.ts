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
import { isOutage } from '../outage.ts'
import { COLLECTIONS, LOWEST_ASK } from './collections.ts'
import { Progress } from './progress.ts'
import { POSTAGE_SATS } from './seed.ts'

type Visitor = Trader & { wallet: LocalWallet }
type Item = Answer<'listCollectionInscriptions'>['items'][number]

/** Prices of the items, relative to the price of their collection. */
const ASKS = [LOWEST_ASK, 1.15, 1.3, 1.42, 1.6, 1.75, 2.2]
/** Maximum listings of one wallet in a collection. */
const EACH = 3
/** Retries of a request while the database or the server is down. */
const REPEATS = 5

/**
 * Fills the demo's order book through the running market, with listings, a sale, offers, collection offers and a proposal. Resumes an
 * interrupted call. An error that is not retryable leaves the order book incomplete.
 */
export async function openTheBook(
  url: string,
  rpcUrl: string,
  directory: string,
  network: AddressNetwork,
  say: (text: string) => void,
): Promise<void> {
  const progress = new Progress(directory)
  await progress.once('order book', async () => {
    say('creating listings, offers and a trade')
    try {
      await trade(progress, url, rpcUrl, network)
    } catch (error) {
      if (isOutage(error)) throw error
      say(`the demo's order book is incomplete: ${(error as Error).message}`)
    }
  })
}

async function trade(
  progress: Progress,
  url: string,
  rpcUrl: string,
  network: AddressNetwork,
): Promise<void> {
  const regtest = new Regtest(rpcUrl)
  const { first, second } = demoWallets(network)
  const collectors = demoCollectors(network).map(({ wallet }) => wallet)
  await progress.payOnce(
    'coins of the bidders',
    regtest,
    collectors.flatMap(({ paymentScript: script }) =>
      [10_000_000, 5_000_000].map((valueSats) => ({ valueSats, script })),
    ),
  )
  const enter = async (wallet: LocalWallet): Promise<Visitor> => {
    const client = new Client(`${url}/web/v1`, { repeats: REPEATS })
    const { walletBindings } = await signInWeb(client, wallet, new URL(url).host)
    return { client, wallet, walletBindingId: walletBindings[0]!.walletBindingId }
  }
  const visitors = await Promise.all([first, second, ...collectors].map(enter))
  const [owner, buyer, ...others] = visitors as [Visitor, Visitor, ...Visitor[]]
  for (const { slug, listedSats } of COLLECTIONS)
    await progress.once(`listings of ${slug}`, () => listSome(visitors, slug, listedSats))
  await progress.once('sale', () => buyCheapest(regtest, buyer, 'harbour-lamps'))
  const [one, other] = others as [Visitor, Visitor]
  await progress.once('offer for a collection', async () => {
    await bid(one, 'harbour-lamps', {
      target: { kind: 'all' },
      priceSats: 85_000,
      offerCount: 3,
      ladderStepSats: 5000,
      coins: await regtest.coinsOf(one.wallet.paymentScript),
    })
  })
  await progress.once('offer for a trait', async () => {
    await bid(other, 'night-watch', {
      target: { kind: 'traits', traits: [{ type: 'Moon', values: ['full'] }] },
      priceSats: 245_000,
      coins: await regtest.coinsOf(other.wallet.paymentScript),
    })
  })
  await progress.once('offer', async () => {
    const requestedItem = await unlistedOf(owner, 'harbour-lamps')
    if (!requestedItem) return
    await offer(buyer, 'harbour-lamps', {
      items: [{ inscriptionId: requestedItem.inscriptionId, coin: coinOfItem(requestedItem, POSTAGE_SATS) }],
      priceSats: 82_000,
      coins: await regtest.coinsOf(buyer.wallet.paymentScript),
      maxFeeBps: 500,
      maxNetworkSats: 50_000,
    })
  })
  await progress.once('proposal', async () => {
    const flag = await unlistedOf(other, 'signal-flags')
    if (!flag) return
    await propose(other, {
      visibility: 'public',
      offeredInscriptionIds: [flag.inscriptionId],
      offeredBtcSats: 0,
      wantedLegs: [{ collectionSlug: 'harbour-lamps', quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: 0,
    })
  })
}

async function itemsOf({ client }: Visitor, slug: string): Promise<Item[]> {
  const { items } = await client.call('listCollectionInscriptions', {
    params: { slug },
    query: { limit: 60 },
  })
  return items
}

const unlistedOf = async (visitor: Visitor, slug: string): Promise<Item | undefined> =>
  (await itemsOf(visitor, slug)).find(
    (each) => each.owner === visitor.wallet.ordinalsAddress && each.listingState === null,
  )

/** Lists some items per owner at rising prices. An owner's last item stays unlisted. */
async function listSome(visitors: readonly Visitor[], slug: string, priceSats: number): Promise<void> {
  const items = await itemsOf(visitors[0]!, slug)
  let listedCount = 0
  for (const visitor of visitors) {
    const ownedItems = items.filter((item) => item.owner === visitor.wallet.ordinalsAddress)
    // Already listed by an interrupted call.
    if (ownedItems.some((each) => each.listingState !== null)) continue
    const agreements = ownedItems.slice(0, Math.min(EACH, ownedItems.length - 1)).map((item) => ({
      inscriptionId: item.inscriptionId,
      priceSats: Math.round((priceSats * ASKS[listedCount++ % ASKS.length]!) / 1000) * 1000,
      coin: coinOfItem(item, POSTAGE_SATS),
      maxFeeBps: 500,
    }))
    if (agreements.length > 0) await list(visitor, slug, agreements, 7)
  }
}

async function buyCheapest(regtest: Regtest, buyer: Visitor, slug: string): Promise<void> {
  const { listings } = await buyer.client.call('listListings', { query: { collectionSlug: slug } })
  const [cheapest] = listings
    .filter((listing) => listing.sellerAddress !== buyer.wallet.ordinalsAddress)
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
