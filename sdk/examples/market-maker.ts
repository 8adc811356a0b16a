/**
 * Makes a market in a collection: places a ladder of bids below a price, and lists the wallet's inscriptions above it. Quotes again after
 * each trade, and cancels everything when it stops.
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
/** Bid prices must be multiples of 5000 sats. */
const topSats = Math.floor((Number(price) * 0.95) / STEP_SATS) * STEP_SATS
const RUNGS = 3

const node = ownNode()
// Stops only the events, so that a pending call completes.
const signal = untilStopped()
const trader = await enter(market, ownWallet(), { repeats: 4 })
const { client, wallet } = trader

/** Returns the wallet's bids that are not filled. */
async function ownBids() {
  return (await client.call('listMySentCollectionOffers', { params: { slug } })).rows
}

async function quoteBids(): Promise<void> {
  const bids = await ownBids()
  const isComplete = bids.length === RUNGS && bids.every(({ executable }) => executable)
  if (isComplete) return
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

/** Places bids and listings. After retryable errors and conflicts, waits for the next event. */
async function quote(): Promise<void> {
  for (const side of [quoteBids, quoteAsks])
    await side().catch((error: unknown) => {
      if (!(error instanceof ApiError && (error.retryable || error.status === 409))) throw error
      console.error(`${side.name}: ${error.code}`)
    })
  console.log(JSON.stringify({ askSats, topSats, bids: (await ownBids()).length }))
}

async function cancelAll(): Promise<void> {
  for (const { id } of await ownBids()) await cancelBid(trader, slug, id)
  const { ordinalsAddress: sellerAddress } = wallet
  const { listings } = await client.call('listListings', {
    query: { collectionSlug: slug, sellerAddress, limit: 100 },
  })
  const entries = listings.map(({ inscriptionId, listingId }) => ({ inscriptionId, listingId }))
  if (entries.length > 0) await delist(trader, slug, entries)
}

/** Whether an event requires new quotes: a sale, a block, or the end of a bid that this program did not cancel. */
const requiresQuote = ({ kind, data }: MarketEvent) =>
  ['hello', 'reset', 'sale', 'block'].includes(kind) ||
  (kind === 'collection_offer' && (data.state === 'invalidated' || data.state === 'expired'))

for await (const event of events(market, { collections: [slug], signal }))
  if (requiresQuote(event)) await quote()
await cancelAll()
