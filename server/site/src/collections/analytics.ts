import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import {
  ASK_PARTS,
  type getCollectionAnalytics as operation,
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

/** Returns listings by price, prices by rank, and owners. Throws `missing`. */
export async function getCollectionAnalytics(context: Context, slug: string): Promise<Buffer> {
  const { reads, responses, clock } = context
  const { collectionId } = await getCollection({ sql: reads }, slug)
  return responses.read(['analytics', collectionId], clock, async () => {
    const now = clock()
    const [asks, listings, sales, holders] = await Promise.all([
      asksOf(context, collectionId, now),
      listRankedAsks(reads, collectionId, { now, rows: RANKED_ROWS }),
      listRankedSales(reads, collectionId, RANKED_ROWS),
      holdersOf(context, collectionId),
    ])
    const analytics: Analytics = { asks, ranks: { listings, sales }, holders }
    return {
      body: Buffer.from(JSON.stringify(analytics)),
      tags: [],
      validUntil: new Date(now.getTime() + AGE_MILLISECONDS),
    }
  })
}

async function asksOf({ reads }: Context, collectionId: string, now: Date): Promise<Analytics['asks']> {
  const rows = await countAsks(reads, collectionId, now, ASK_PARTS)
  const itemsOf = (part: number) => rows.find((row) => row.part === part)?.items ?? 0
  return {
    leastSats: rows[0]?.leastSats ?? null,
    stepSats: rows[0]?.stepSats ?? null,
    parts: rows.length === 0 ? [] : Array.from({ length: ASK_PARTS }, (_, part) => itemsOf(part)),
    above: itemsOf(ASK_PARTS),
  }
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
