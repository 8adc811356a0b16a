import type { Queryable } from '@ordbook/db/driver/connect.ts'
import type { KeyValuesOf, Order, PageOf } from '@ordbook/db/driver/order.ts'
import { renderBid } from '@ordbook/market/collection-offers/browse.ts'
import { listRendered as listRenderedBids } from '@ordbook/market/collection-offers/queries.ts'
import { listFloors } from '@ordbook/market/collections/floor-queries.ts'
import { renderFloor } from '@ordbook/market/collections/floors.ts'
import { ITEM_ORDERS, listItems } from '@ordbook/market/collections/queries.ts'
import { renderedItem } from '@ordbook/market/collections/rendered-item.ts'
import type { Context } from '@ordbook/market/context.ts'
import { BOOK_ORDERS, listBook } from '@ordbook/market/listings/book-queries.ts'
import { renderListing } from '@ordbook/market/listings/browse.ts'
import { renderOffer } from '@ordbook/market/offers/rendered-offer.ts'
import { listRendered as listRenderedOffers } from '@ordbook/market/offers/rendered-queries.ts'
import { renderProposals } from '@ordbook/market/proposals/feed.ts'
import { listProposalRows, PROPOSAL_ORDER } from '@ordbook/market/proposals/queries.ts'
import { renderSale } from '@ordbook/market/sales/feed.ts'
import { listSaleRows, SALES_ORDER } from '@ordbook/market/sales/queries.ts'
import {
  countDifferences,
  countWrongPlaces,
  countWrongProposals,
  isStale,
  listSlugs,
  rebuildCollection,
  rebuildProposals,
} from './check-queries.ts'

export interface Difference {
  /** A collection slug, or the name of a feed. */
  where: string
  what: string
  rows: number
}

type Reads = Pick<Context, 'config' | 'clock'> & { sql: Queryable }

const BATCH = 500

/**
 * Compares all derived tables and rendered rows with their sources. Safe on a live market, because each
 * comparison uses one snapshot.
 */
export async function checkRollups(
  context: Pick<Context, 'sql' | 'config' | 'clock'>,
  onProgress?: (done: number, total: number) => void,
): Promise<Difference[]> {
  const { sql, clock } = context
  const differences: Difference[] = []
  const note = (where: string, what: string, rows: number) => {
    if (rows > 0) differences.push({ where, what, rows })
  }
  const collections = await listSlugs(sql)
  for (const [done, { collectionId, slug }] of collections.entries()) {
    await sql.begin(async (tx) => {
      // Its items are ahead of their ranks until the follower refreshes it.
      if (await isStale(tx, collectionId)) return
      for (const { what, rows } of await countDifferences(tx, collectionId)) note(slug, what, rows)
      note(slug, 'rendered rows', await countWrongItems({ ...context, sql: tx }, slug))
    }, 'set transaction isolation level repeatable read, read only')
    const [floor] = await listFloors(sql, [slug], clock())
    const holds = floor?.renderedRow && (floor.renderedUntil === null || floor.renderedUntil > clock())
    note(slug, 'rendered floors', holds && floor.renderedRow !== JSON.stringify(renderFloor(floor)) ? 1 : 0)
    onProgress?.(done + 1, collections.length)
  }
  note('listings', 'rendered rows', await countWrongListings(context))
  note('sales', 'rendered rows', await countWrongSales(context))
  note('proposals', 'rendered rows', await countWrongProposalRows(context))
  note('offers', 'rendered rows', await countWrongOffers(context))
  note('collection offers', 'rendered rows', await countWrongBids(context))
  note('inscriptions', 'places', await countWrongPlaces(sql))
  note('proposals', 'feed', await countWrongProposals(sql))
  return differences
}

/** Rebuilds all derived tables, one collection at a time. The next reads render the rows again. */
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

const countWrongItems = ({ sql, config, clock }: Reads, slug: string) =>
  countWrong(
    ITEM_ORDERS.oldest,
    (page) => listItems(sql, { slug, ...page, now: clock() }),
    (row) =>
      // Reads ignore expired rendered rows until the jobs delete them.
      (row.renderedExpiresAt === null || row.renderedExpiresAt > clock()) &&
      (row.renderedRow !== renderedItem(row, config).text ||
        row.renderedExpiresAt?.getTime() !== row.listingExpiresAt?.getTime()),
  )

function countWrongListings({ sql, config, clock }: Reads): Promise<number> {
  const any = { collectionSlug: null, inscriptionId: null, sellerScript: null }
  return countWrong(
    BOOK_ORDERS.recent,
    (page) => listBook(sql, { ...any, ...page, now: clock() }),
    (row) => row.renderedRow !== JSON.stringify(renderListing(row, config.addressNetwork)),
  )
}

const countWrongSales = ({ sql, config }: Reads) =>
  countWrong(
    SALES_ORDER,
    (page) => listSaleRows(sql, { collectionSlug: null, ...page }),
    (row) => row.renderedRow !== JSON.stringify(renderSale(row, config.addressNetwork)),
  )

async function countWrongProposalRows({ sql, config, clock }: Reads): Promise<number> {
  let wrong = 0
  for await (const { rows, page } of walk(PROPOSAL_ORDER, (page) =>
    listProposalRows(sql, { collectionSlug: null, ...page, now: clock() }),
  )) {
    const fresh = await renderProposals(sql, rows, config.addressNetwork)
    const suspects = rows.filter((row, n) => row.renderedRow !== null && row.renderedRow !== fresh[n]!.text)
    // Rendering takes several statements. Ignore rows that changed in the meantime.
    const rereadRows =
      suspects.length > 0 ? await listProposalRows(sql, { collectionSlug: null, ...page, now: clock() }) : []
    wrong += suspects.filter((row) =>
      rereadRows.some(
        (each) => each.proposalId === row.proposalId && each.renderedVersion === row.renderedVersion,
      ),
    ).length
  }
  return wrong
}

const countWrongOffers = ({ sql, config }: Reads) =>
  countWrongById(
    (after) => listRenderedOffers(sql, after, BATCH),
    (row) => renderOffer(row, config.addressNetwork),
  )

const countWrongBids = ({ sql, config }: Reads) =>
  countWrongById(
    (after) => listRenderedBids(sql, after, BATCH),
    (row) => renderBid(row, config.addressNetwork).text,
  )

async function countWrongById<Row extends { offerId: string; renderedRow: string | null }>(
  list: (after: string | null) => Promise<Row[]>,
  render: (row: Row) => string,
): Promise<number> {
  let wrong = 0
  for (let after: string | null = null; ; ) {
    const rows: Row[] = await list(after)
    wrong += rows.filter((row) => row.renderedRow !== render(row)).length
    if (rows.length < BATCH) return wrong
    after = rows.at(-1)!.offerId
  }
}

async function countWrong<const O extends Order, Row extends { renderedRow: string | null; keys: unknown }>(
  order: O,
  list: (page: PageOf<O>) => Promise<Row[]>,
  isWrong: (row: Row) => boolean,
): Promise<number> {
  let wrong = 0
  for await (const { rows } of walk(order, list))
    wrong += rows.filter((row) => row.renderedRow !== null && isWrong(row)).length
  return wrong
}

/** Yields all rows of a feed, page by page. */
async function* walk<const O extends Order, Row extends { keys: unknown }>(
  order: O,
  list: (page: PageOf<O>) => Promise<Row[]>,
) {
  for (let after: KeyValuesOf<O> | null = null; ; ) {
    const page: PageOf<O> = { order, after, rows: BATCH }
    const rows = await list(page)
    yield { rows, page }
    if (rows.length < BATCH) return
    after = rows.at(-1)!.keys as KeyValuesOf<O>
  }
}
