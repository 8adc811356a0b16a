import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import {
  type getPriceHistogram as histogramOperation,
  type getCollectionAnalytics as operation,
  PRICE_BARS,
  RANKED_ROWS,
} from '@ordbook/contract/storefront/collections.ts'
import { getCollection } from '@ordbook/market/collections/inscriptions.ts'
import type { Context } from '@ordbook/market/context.ts'
import { countAsks } from './ask-queries.ts'
import { groupHoldings, HOLDING_SIZES, listTopHolders } from './holder-queries.ts'
import { listRankedAsks, listRankedSales } from './rank-queries.ts'

const MAX_HOLDERS = 10
/** Maximum age of a cached response. Limits how often a busy collection is scanned. */
const AGE_MILLISECONDS = 60_000

type Analytics = AnswerOf<typeof operation>
type Histogram = AnswerOf<typeof histogramOperation>

/** Returns prices by rank, and owners. Throws `missing`. */
export async function getCollectionAnalytics(context: Context, slug: string): Promise<Buffer> {
  const { reads, responses, clock } = context
  const { collectionId } = await getCollection({ sql: reads }, slug)
  return responses.read(['analytics', collectionId], clock, async () => {
    const now = clock()
    const [listings, sales, holders] = await Promise.all([
      listRankedAsks(reads, collectionId, { now, rows: RANKED_ROWS }),
      listRankedSales(reads, collectionId, RANKED_ROWS),
      holdersOf(context, collectionId),
    ])
    const analytics: Analytics = { ranks: { listings, sales }, holders }
    return {
      body: Buffer.from(JSON.stringify(analytics)),
      tags: [],
      validUntil: new Date(now.getTime() + AGE_MILLISECONDS),
    }
  })
}

/** Returns the number of listings by price. Throws `missing`. */
export async function getPriceHistogram(context: Context, slug: string): Promise<Buffer> {
  const { reads, responses, clock } = context
  const { collectionId } = await getCollection({ sql: reads }, slug)
  return responses.read(['price histogram', collectionId], clock, async () => {
    const now = clock()
    const rows = await countAsks(reads, collectionId, now, PRICE_BARS)
    const [first] = rows
    const itemsAt = (bar: number) => rows.find((row) => row.bar === bar)?.items ?? 0
    const histogram: Histogram = {
      leastSats: first?.leastSats ?? null,
      stepSats: first?.stepSats ?? null,
      mostSats: first?.mostSats ?? null,
      bars: first ? Array.from({ length: PRICE_BARS }, (_, bar) => itemsAt(bar)) : [],
    }
    return {
      body: Buffer.from(JSON.stringify(histogram)),
      tags: [],
      validUntil: new Date(now.getTime() + AGE_MILLISECONDS),
    }
  })
}

async function holdersOf({ reads, config }: Context, collectionId: string): Promise<Analytics['holders']> {
  const [groups, top] = await Promise.all([
    groupHoldings(reads, collectionId),
    listTopHolders(reads, collectionId, MAX_HOLDERS),
  ])
  const { itemCount, ownerCount } = groups[0]!
  const held = groups.reduce((sum, { items }) => sum + items, 0)
  return {
    itemCount,
    ownerCount,
    unownedCount: itemCount - held,
    distribution: HOLDING_SIZES.map((least, n) => {
      const group = groups.find(({ size }) => size === n + 1)
      const next = HOLDING_SIZES[n + 1]
      return { least, most: next ? next - 1 : null, owners: group?.owners ?? 0, items: group?.items ?? 0 }
    }),
    top: top.map((each) => ({
      address: addressOfScript(each.ownerScript, config.addressNetwork),
      itemCount: each.itemCount,
    })),
  }
}
