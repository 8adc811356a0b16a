import { listFloors } from '../collections/floor-queries.ts'
import { renderFloor } from '../collections/floors.ts'
import { itemCard } from '../collections/item-card.ts'
import { listItems } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { listBook } from '../listings/book-queries.ts'
import { renderListing } from '../listings/browse.ts'
import { renderProposals } from '../proposals/feed.ts'
import { listProposalRows } from '../proposals/queries.ts'
import { renderSale } from '../sales/feed.ts'
import { listSaleRows } from '../sales/queries.ts'
import {
  countDifferences,
  countWrongPlaces,
  countWrongProposals,
  listSlugs,
  rebuildCollection,
  rebuildProposals,
} from './check-queries.ts'

/**
 * Compares everything that is derived with what it is derived from: asks, floors, their history, sales by collection, owners,
 * counts and traits, proposals, watched inscriptions, and each rendered row against a new rendering. May run beside a live
 * market: each comparison sees one moment.
 */
export interface Difference {
  /** A collection's slug, or the feed. */
  where: string
  what: string
  rows: number
}

type Reads = Pick<Context, 'sql' | 'config' | 'clock'>

const BATCH = 500

export async function checkRollups(
  context: Reads,
  onProgress?: (done: number, total: number) => void,
): Promise<Difference[]> {
  const { sql, clock } = context
  const differences: Difference[] = []
  const note = (where: string, what: string, rows: number) => {
    if (rows > 0) differences.push({ where, what, rows })
  }
  const collections = await listSlugs(sql)
  for (const [done, { collectionId, slug }] of collections.entries()) {
    for (const { what, rows } of await countDifferences(sql, collectionId)) note(slug, what, rows)
    note(slug, 'cards', await countWrongItems(context, slug))
    const [floor] = await listFloors(sql, [slug], clock())
    const holds = floor?.card && (floor.cardUntil === null || floor.cardUntil > clock())
    note(slug, 'floor cards', holds && floor.card !== JSON.stringify(renderFloor(floor)) ? 1 : 0)
    onProgress?.(done + 1, collections.length)
  }
  note('listings', 'cards', await countWrongListings(context))
  note('sales', 'cards', await countWrongSales(context))
  note('proposals', 'cards', await countWrongProposalCards(context))
  note('inscriptions', 'places', await countWrongPlaces(sql))
  note('proposals', 'feed', await countWrongProposals(sql))
  return differences
}

/** Derives everything anew, a collection at a time. Cards are rendered again when they are next read. */
export async function rebuildRollups(
  { sql }: Pick<Context, 'sql'>,
  onProgress?: (done: number, total: number) => void,
): Promise<void> {
  const collections = await listSlugs(sql)
  for (const [done, { collectionId }] of collections.entries()) {
    await rebuildCollection(sql, collectionId)
    onProgress?.(done + 1, collections.length)
  }
  await rebuildProposals(sql)
}

async function countWrongItems({ sql, config, clock }: Reads, slug: string): Promise<number> {
  let wrong = 0
  for (let after: number | null = null; ; ) {
    const rows = await listItems(sql, { slug, newest: false, after, rows: BATCH, now: clock() })
    wrong += rows.filter(
      (row) =>
        row.card !== null &&
        // What has run out is shown to nobody until the jobs reset it.
        (row.cardExpiresAt === null || row.cardExpiresAt > clock()) &&
        (row.card !== itemCard(row, config) ||
          row.cardExpiresAt?.getTime() !== row.listingExpiresAt?.getTime()),
    ).length
    if (rows.length < BATCH) return wrong
    after = rows.at(-1)!.sortKey
  }
}

async function countWrongListings({ sql, config, clock }: Reads): Promise<number> {
  let wrong = 0
  for (let after: { priceSats: number; listedAt: string; listingId: string } | null = null; ; ) {
    const any = { byPrice: false, collectionSlug: null, inscriptionId: null, sellerScript: null }
    const rows = await listBook(sql, { ...any, after, rows: BATCH, now: clock() })
    wrong += rows.filter(
      (row) => row.card !== null && row.card !== JSON.stringify(renderListing(row, config.addressNetwork)),
    ).length
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return wrong
    after = { priceSats: last.priceSats, listedAt: last.listedAtText, listingId: last.listingId }
  }
}

async function countWrongSales({ sql, config }: Reads): Promise<number> {
  let wrong = 0
  for (let after: { height: number; saleId: number } | null = null; ; ) {
    const rows = await listSaleRows(sql, { after, collectionSlug: null, rows: BATCH })
    wrong += rows.filter(
      (row) => row.card !== null && row.card !== JSON.stringify(renderSale(row, config.addressNetwork)),
    ).length
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return wrong
    after = { height: last.height, saleId: last.saleId }
  }
}

async function countWrongProposalCards({ sql, config, clock }: Reads): Promise<number> {
  let wrong = 0
  for (let after: { createdAt: string; proposalId: string } | null = null; ; ) {
    const rows = await listProposalRows(sql, { after, collectionSlug: null, rows: BATCH, now: clock() })
    const fresh = await renderProposals(sql, rows, config.addressNetwork)
    const suspects = rows.filter((row, n) => row.card !== null && row.card !== fresh[n]!.card)
    // Rendered from several statements: what changed between them has another version now.
    const again =
      suspects.length > 0
        ? await listProposalRows(sql, { after, collectionSlug: null, rows: BATCH, now: clock() })
        : []
    wrong += suspects.filter((row) =>
      again.some((each) => each.proposalId === row.proposalId && each.cardVersion === row.cardVersion),
    ).length
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return wrong
    after = { createdAt: last.createdAtText, proposalId: last.proposalId }
  }
}
