/**
 * Makes a market in a collection: a ladder of bids below its price, and its own inscriptions above. It quotes again after each trade,
 * and takes everything down when it is stopped.
 *
 *   export NODE_URL=$(npm run -s demo -- node)
 *   WALLET=second npx node sdk/examples/market-maker.ts harbour-lamps 200000
 */
import {
  ApiError,
  bid,
  cancelBid,
  coinByNode,
  delist,
  enter,
  events,
  list,
  type MarketEvent,
} from '@ordbook/sdk'
import { bounds, market, ownNode, ownWallet, readArguments, untilStopped } from './settings.ts'

const [slug = '', price] = readArguments('SLUG PRICE_SATS')
const STEP_SATS = 5000
const askSats = Math.ceil(Number(price) * 1.05)
/** Prices of bids are multiples of 5000 sats. */
const topSats = Math.floor((Number(price) * 0.95) / STEP_SATS) * STEP_SATS
const RUNGS = 3

const node = ownNode()
// Ends the events alone: a call under way when the program is stopped is not cut off.
const signal = untilStopped()
const trader = await enter(market, ownWallet(), { repeats: 4 })
const { client, wallet } = trader

/** The own bids; a filled one is in none of the lists. */
async function ownBids() {
  return (await client.call('listMySentCollectionOffers', { params: { slug } })).rows
}

async function quoteBids(): Promise<void> {
  const bids = await ownBids()
  const isWhole = bids.length === RUNGS && bids.every(({ executable }) => executable)
  if (isWhole) return
  for (const { id } of bids) await cancelBid(trader, slug, id)
  const coins = await node.coinsOf(wallet.paymentScript)
  await bid(trader, slug, {
    target: { kind: 'all' },
    priceSats: topSats,
    offerCount: RUNGS,
    ladderStepSats: STEP_SATS,
    coins,
  })
}

async function quoteAsks(): Promise<void> {
  for await (const item of client.inscriptions(slug)) {
    if (item.owner !== wallet.ordinalsAddress || item.listingState !== null) continue
    const coin = await coinByNode(node, item)
    const { inscriptionId } = item
    await list(trader, slug, [{ inscriptionId, priceSats: askSats, coin, maxFeeBps: bounds.maxFeeBps }], 7)
  }
}

/** Refusals that the next block or the next look mends are left for it. */
async function quote(): Promise<void> {
  for (const side of [quoteBids, quoteAsks])
    await side().catch((error: unknown) => {
      if (!(error instanceof ApiError && (error.retryable || error.status === 409))) throw error
      console.error(`${side.name}: ${error.code}`)
    })
  console.log(JSON.stringify({ askSats, topSats, bids: (await ownBids()).length }))
}

async function takeDown(): Promise<void> {
  for (const { id } of await ownBids()) await cancelBid(trader, slug, id)
  const { ordinalsAddress: sellerAddress } = wallet
  const { listings } = await client.call('listListings', {
    query: { collectionSlug: slug, sellerAddress, limit: 100 },
  })
  const own = listings.map(({ inscriptionId, listingId }) => ({ inscriptionId, listingId }))
  if (own.length > 0) await delist(trader, slug, own)
}

/** A sale, a block and the end of a bid change the quotes. Own bids that are taken down are `cancelled`. */
const changes = ({ kind, data }: MarketEvent) =>
  ['hello', 'reset', 'sale', 'block'].includes(kind) ||
  (kind === 'collection_offer' && (data.state === 'invalidated' || data.state === 'expired'))

for await (const event of events(market, { collections: [slug], signal })) if (changes(event)) await quote()
await takeDown()
