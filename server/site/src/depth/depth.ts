import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type {
  getDepth as depthOperation,
  listFittingItems as fittingOperation,
  listBestBids as listOperation,
} from '@ordbook/contract/storefront/depth.ts'
import { missing } from '@ordbook/db/process/errors.ts'
import { paginationOf } from '@ordbook/http/operations/cursor.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { earliest } from '@ordbook/http/responses/cached-responses.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { getOwnBinding } from '@ordbook/market/auth/me.ts'
import { getCollection } from '@ordbook/market/collections/inscriptions.ts'
import type { Context } from '@ordbook/market/context.ts'
import { listBestBids as listBidRows } from '@ordbook/market/settlements/bid-queries.ts'
import type { PagedUseCase } from '@ordbook/market/use-case.ts'
import { findTopBid } from '../collections/collection-queries.ts'
import { traitsOf } from '../items/items.ts'
import {
  type DepthBid,
  findSlugOfActive,
  listAskLevels,
  listDepthBids,
  listFitting,
} from './depth-queries.ts'

type Depth = AnswerOf<typeof depthOperation>

const MAX_LEVELS = 100
/** Maximum bids to read. Lower bids are not shown. */
const MAX_BIDS = 5000
const MAX_NAMED = 20
const MAX_SHARING = 10
/** Maximum age of a cached response. Entries expire without an event. */
const DEPTH_MILLISECONDS = 30_000

/** Returns asks and bids by price. Throws `missing`, `invalid`. */
export async function getDepth(
  { responses, reads, clock }: Context,
  slug: string,
  { traits: text }: QueryOf<typeof depthOperation>,
): Promise<Buffer> {
  const traits = traitsOf(text)
  const { collectionId } = await getCollection({ sql: reads }, slug)
  return responses.read(['depth', collectionId, traits], clock, async () => {
    const now = clock()
    const [asks, bids, topOfferSats] = await Promise.all([
      listAskLevels(reads, { collectionId, traits, now }, MAX_LEVELS),
      listDepthBids(reads, { collectionId, traits, now }, MAX_BIDS),
      findTopBid(reads, collectionId, now),
    ])
    const depth: Depth = {
      asks: asks.map(({ total: _, ...level }) => level),
      askCount: asks[0]?.total ?? 0,
      bids: levelsOf(bids).slice(0, MAX_LEVELS),
      bidCount: bids[0]?.total ?? 0,
      // With traits, each of the bids accepts every item in scope.
      topOfferSats: traits.length > 0 ? (bids[0]?.priceSats ?? null) : topOfferSats,
    }
    return {
      body: Buffer.from(JSON.stringify(depth)),
      tags: ['listings', `c:${collectionId}`, `o:${collectionId}`],
      validUntil: earliest(new Date(now.getTime() + DEPTH_MILLISECONDS), ...bids.map((bid) => bid.expiresAt)),
    }
  })
}

/** Groups bids by price, highest first. Of bids that share a coin, only the highest counts as fillable. */
export function levelsOf(
  bids: readonly Pick<DepthBid, 'offerId' | 'priceSats' | 'scopeLabel' | 'coins'>[],
): Depth['bids'] {
  const byCoin = new Map<string, string[]>()
  for (const { offerId, coins } of bids)
    for (const coin of coins) {
      const backed = byCoin.get(coin) ?? []
      byCoin.set(coin, backed)
      if (backed.length <= MAX_SHARING) backed.push(offerId)
    }
  const spent = new Set<string>()
  const levels: Depth['bids'] = []
  let cumulated = { items: 0, sats: 0 }
  for (const { offerId, priceSats, scopeLabel, coins } of bids) {
    const last = levels.at(-1)
    const level =
      last?.priceSats === priceSats
        ? last
        : { priceSats, items: 0, cumulatedItems: 0, cumulatedSats: 0, offers: [] }
    if (level !== last) levels.push(level)
    if (!coins.some((coin) => spent.has(coin))) {
      for (const coin of coins) spent.add(coin)
      cumulated = { items: cumulated.items + 1, sats: cumulated.sats + priceSats }
    }
    const sharing = new Set(coins.flatMap((coin) => byCoin.get(coin)!))
    sharing.delete(offerId)
    level.items++
    level.cumulatedItems = cumulated.items
    level.cumulatedSats = cumulated.sats
    if (level.offers.length < MAX_NAMED)
      level.offers.push({ offerId, scopeLabel, sharesCoinWith: [...sharing].slice(0, MAX_SHARING) })
  }
  return levels
}

/** Returns the bid with the highest payout for each inscription, excluding the caller's bids. */
export async function listBestBids(
  context: Context,
  { profileId }: Session,
  { inscriptionIds }: QueryOf<typeof listOperation>,
): Promise<AnswerOf<typeof listOperation>> {
  const { reads, clock } = context
  const asking = { profileId, now: clock(), feeRateSatVb: await settlementFeeRate(context) }
  const rows = await listBidRows(reads, [...new Set(inscriptionIds.split(','))], asking)
  return { bids: rows.map(({ inscriptionId, ...bid }) => ({ inscriptionId, bid })) }
}

/** Lists the session's inscriptions that match an offer. Throws `missing` or `forbidden`. */
export const listFittingItems: PagedUseCase<typeof fittingOperation> = async (
  context,
  cursors,
  { session, params, query },
) => {
  const { reads, clock } = context
  const { walletBindingId, limit = 100, cursor } = query
  const { offerId } = params
  const slug = params.slug.toLowerCase()
  const binding = await getOwnBinding(context, session, walletBindingId)
  const now = clock()
  if ((await findSlugOfActive(reads, offerId, now)) !== slug)
    throw missing('offer-unknown', `Offer ${offerId} is not an active offer of ${slug}`)
  const scope = ['fitting', walletBindingId, offerId]
  const after = cursors.decode(scope, cursor, [{ type: 'bigint' }])?.[0] ?? null
  const script = binding.ordinalsScript
  const rows = await listFitting(reads, { script, offerId, after, now, rows: limit + 1 })
  const page = rows.slice(0, limit)
  return {
    items: page.map(({ itemName, sequence: _, ...row }) => ({ ...row, name: itemName })),
    pagination: paginationOf(rows.length, limit, () => cursors.encode(scope, [page.at(-1)!.sequence])),
  }
}
