/**
 * Keeps the best bid on a trait, up to a limit, until a holder sells into it.
 *
 *   export NODE_URL=$(npm run -s demo -- node)
 *   WALLET=second npx node sdk/examples/trait-bidder.ts harbour-lamps Light Green 50000 100000
 */
import { bid, cancelBid, enter, events } from '@ordbook/sdk'
import { market, ownNode, ownWallet, readArguments, untilStopped } from './settings.ts'

const [slug = '', type = '', value = '', first, max] = readArguments('SLUG TRAIT VALUE FIRST_SATS MAX_SATS')
/** Bid prices must be multiples of 5000 sats. */
const STEP_SATS = 5000
const target = { kind: 'traits' as const, traits: [{ type, values: [value] }] }
const isSame = (other: object) => JSON.stringify(other) === JSON.stringify(target)
const params = { slug }

const node = ownNode()
// Stops only the events, so that a pending call completes.
const signal = untilStopped()
const trader = await enter(market, ownWallet(), { repeats: 4 })
const { client, wallet } = trader
const { eligibleCount } = await client.call('previewCollectionOfferTarget', { params, body: { target } })
if (eligibleCount === 0) throw new Error(`No inscription of ${slug} has the trait ${type} ${value}.`)

/** The id of this bot's bid, until an event reports its end. The order book omits a bid that is being filled. */
let ownBidId: string | null = null

/** The order book lists bids by payment address. */
const isOwn = ({ makerAddress }: { makerAddress: string }) => makerAddress === wallet.paymentAddress

/** Bids one step above the best bid of others, or the first price, within the limit. */
async function outbid(): Promise<void> {
  const { rows } = await client.call('listCollectionOfferBook', { params })
  const bids = rows.filter((row) => row.target.kind === 'all' || isSame(row.target))
  const own = bids.find((row) => isOwn(row) && isSame(row.target))
  if (ownBidId !== null && !own) return
  ownBidId = own?.id ?? null
  const best = bids.find((row) => !isOwn(row))?.priceSats ?? 0
  const priceSats = Math.max(Number(first), best + STEP_SATS)
  if (priceSats > Number(max) || (own && own.priceSats > best)) return
  if (own) await cancelBid(trader, slug, own.id)
  const coins = await node.coinsOf(wallet.paymentScript)
  const { offers } = await bid(trader, slug, { target, priceSats, coins })
  ownBidId = offers[0]!.offerId
  console.log(JSON.stringify({ offerId: ownBidId, priceSats }))
}

for await (const { kind, data } of events(market, { collections: [slug], signal })) {
  if (kind === 'collection_offer' && data.offerId === ownBidId) {
    if (data.state === 'filled') break
    if (['cancelled', 'expired', 'invalidated'].includes(String(data.state))) ownBidId = null
  }
  if (['hello', 'reset', 'collection_offer'].includes(kind)) await outbid()
}
