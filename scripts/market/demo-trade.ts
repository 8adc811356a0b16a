import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { Regtest } from '@ordbook/devnet/regtest.ts'
import { demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import {
  acceptOffer,
  buy,
  Client,
  coinOfItem,
  type LocalWallet,
  list,
  offer,
  signIn,
  type Trader,
} from '@ordbook/sdk/index.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import type { Running } from './running.ts'

const SLUG = 'harbour-lamps'
const PRICE_SATS = 250_000
const OFFER_SATS = 200_000

type Visitor = Trader & { wallet: LocalWallet }
type Holding = ReturnType<typeof coinOfItem>
type Item = Answer<'listCollectionInscriptions'>['items'][number]

/**
 * Trades an inscription between two wallets through the HTTP API: one lists and the other buys, then the first buys it back with an offer.
 * Every run begins with the current owner of a lamp.
 */
export async function demoTrade(running: Running, config: Config): Promise<void> {
  const regtest = new Regtest(running.rpcUrl)
  const { first, second } = demoWallets(config.addressNetwork)
  const host = new URL(running.url).host

  const enter = async (name: string, wallet: LocalWallet): Promise<Visitor> => {
    const client = new Client(`${running.url}/api/v1`)
    const session = await signIn(client, wallet, host)
    console.log(`  ${name} signed in by BIP-322: ${wallet.ordinalsAddress}`)
    return { client, wallet, walletBindingId: session.walletBindings[0]!.walletBindingId }
  }
  const [one, other] = [await enter('the first wallet ', first), await enter('the second wallet', second)]

  const items = []
  for await (const item of one.client.inscriptions(SLUG)) items.push(item)
  console.log(`  read ${items.length} inscriptions of ${SLUG}`)
  const owners = [first.ordinalsAddress, second.ordinalsAddress]
  const item = items.find((item) => item.listingState === null && owners.includes(item.owner ?? ''))
  if (!item)
    throw new Error('All lamps of the two wallets are listed or being bought. Mine a block, or wait.')
  const [seller, buyer] = item.owner === first.ordinalsAddress ? [one, other] : [other, one]

  const { now, holding } = await sell(regtest, { seller, buyer, item })
  await buyBack(regtest, { owner: buyer, bidder: seller, item: now, holding })
}

/** Makes a sale. Returns the sold inscription as the market shows it, and its coin. */
async function sell(
  regtest: Regtest,
  { seller, buyer, item }: { seller: Visitor; buyer: Visitor; item: Item },
): Promise<{ now: Item; holding: Holding }> {
  const coins = await regtest.coinsOf(seller.wallet.ordinalsScript)
  const before = coins.find((each) => each.txid === item.locationTxid && each.vout === item.locationVout)
  if (!before) throw new Error('The seller does not own the inscription on the chain.')
  const coin = coinOfItem(item, before.valueSats)
  const { listings } = await list(
    seller,
    SLUG,
    [{ inscriptionId: item.inscriptionId, priceSats: PRICE_SATS, coin, maxFeeBps: 500 }],
    7,
  )
  console.log(`  listed ${item.name} for ${PRICE_SATS} sats: ${listings[0]!.listingId}`)

  const book = await buyer.client.call('listListings', { query: { inscriptionId: item.inscriptionId } })
  const listing = book.listings[0]!
  const bought = await buy(buyer, SLUG, {
    items: [
      {
        inscriptionId: listing.inscriptionId,
        listingId: listing.listingId,
        priceSats: listing.priceSats,
        coin: coinOfItem(listing),
      },
    ],
    coins: await regtest.coinsOf(buyer.wallet.paymentScript),
    maxFeeBps: 500,
    maxNetworkSats: 50_000,
  })
  console.log(`  bought for ${bought.costSats} sats all in, settlement ${bought.settlementTxid}`)

  await regtest.mine()
  const sale = await waitForSale(buyer.client, bought.settlementTxid)
  const after = (await regtest.coinsOf(buyer.wallet.ordinalsScript)).find(
    (each) => each.txid === bought.settlementTxid,
  )
  if (!after || !equalBytes(after.script, buyer.wallet.ordinalsScript))
    throw new Error('The buyer does not own the inscription on the chain.')
  const owned = await buyer.client.call('listCollectionInscriptions', {
    params: { slug: SLUG },
    query: { limit: 100 },
  })
  const now = owned.items.find((each) => each.inscriptionId === item.inscriptionId)!
  console.log(`\n  settlement   ${bought.settlementTxid}`)
  console.log(`  new owner    ${now.owner}`)
  console.log(`  satpoint     ${now.locationSatpoint}`)
  console.log(`  sale         ${JSON.stringify(sale, null, 2).replaceAll('\n', '\n  ')}`)

  return { now, holding: coinOfItem(now, after.valueSats) }
}

async function buyBack(
  regtest: Regtest,
  { owner, bidder, item, holding }: { owner: Visitor; bidder: Visitor; item: Item; holding: Holding },
): Promise<void> {
  const submitted = await offer(bidder, SLUG, {
    items: [{ inscriptionId: item.inscriptionId, coin: holding }],
    priceSats: OFFER_SATS,
    coins: await regtest.coinsOf(bidder.wallet.paymentScript),
    maxFeeBps: 500,
    maxNetworkSats: 50_000,
  })
  const { offerId } = submitted.items[0]!
  console.log(`\n  offered ${OFFER_SATS} sats to buy it back: ${offerId}`)
  const accepted = await acceptOffer(owner, offerId, {
    inscriptionId: item.inscriptionId,
    priceSats: OFFER_SATS,
    coin: holding,
    maxFeeBps: 500,
    maxNetworkSats: 50_000,
  })
  console.log(
    `  accepted: ${accepted.payoutSats} sats, the offer less fees plus ${holding.valueSats} sats of postage, settlement ${accepted.settlementTxid}`,
  )
  await regtest.mine()
  await waitForSale(owner.client, accepted.settlementTxid)
  console.log('  returned to its first owner')
}

async function waitForSale(client: Client, txid: string) {
  for (let elapsed = 0; elapsed < 30_000; elapsed += 500) {
    const { sales } = await client.call('listSales', { query: { collectionSlug: SLUG, limit: 10 } })
    const sale = sales.find((sale) => sale.txid === txid)
    if (sale) return sale
    await new Promise((done) => setTimeout(done, 500))
  }
  throw new Error('The sale did not appear within 30 seconds.')
}
