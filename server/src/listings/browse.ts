import { addressOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import type { listListings as listOperation } from '@ordbook/contract/listings.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import { describeItem, locationOf } from '../collections/item-card.ts'
import { findCollection } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { refuseBitcoin } from '../engine/refuse.ts'
import { type CursorCodec, paginationOf } from '../http/cursor.ts'
import { earliest } from '../http/pages.ts'
import { type BookPage, type BookRow, listBook, sliceBook, writeListingCards } from './queries.ts'

/** A page of the order book. */
export async function browseListings(
  context: Context,
  cursors: CursorCodec,
  query: QueryOf<typeof listOperation>,
): Promise<Buffer> {
  const { sql, config, clock, pages } = context
  const { limit = 50, sort = 'recent', inscriptionId = null, sellerAddress = null } = query
  const collectionSlug = query.collectionSlug?.toLowerCase() ?? null
  const sellerScript =
    sellerAddress === null
      ? null
      : refuseBitcoin(() => scriptOfAddress(sellerAddress, config.addressNetwork), 'sellerAddress')
  const scope = ['listings', sort, collectionSlug, inscriptionId, sellerAddress]
  const keys = cursors.decode(scope, query.cursor)
  return pages.read([...scope, limit, query.cursor], clock, async () => {
    const collection = collectionSlug === null ? null : await findCollection(sql, collectionSlug)
    const page: BookPage = {
      byPrice: sort === 'price',
      after: keys && { priceSats: Number(keys[0]), listedAt: String(keys[1]), listingId: String(keys[2]) },
      collectionId: collection?.collectionId ?? null,
      inscriptionId,
      sellerScript,
      rows: limit + 1,
      now: clock(),
    }
    const unknown = collectionSlug !== null && !collection
    const { cards, rowCount, lastKeys, expiresAt } = unknown ? NOTHING : await cardsOfBook(context, page)
    const pagination = paginationOf(rowCount, limit, () => cursors.encode(scope, lastKeys))
    return {
      body: Buffer.from(`{"listings":[${cards ?? ''}],"pagination":${JSON.stringify(pagination)}}`),
      tags: unknown ? ['collections'] : collection ? [`c:${collection.collectionId}`] : ['listings'],
      validUntil: expiresAt,
    }
  })
}

const NOTHING = { cards: null, rowCount: 0, lastKeys: [], expiresAt: null }

async function cardsOfBook({ sql, config }: Context, page: BookPage) {
  const slice = await sliceBook(sql, page)
  if (!slice.stale)
    return { ...slice, lastKeys: [slice.lastPriceSats!, slice.lastListedAt!, slice.lastListingId!] }
  const rows = await listBook(sql, page)
  const shown = rows.slice(0, page.rows - 1).map((row) => ({
    id: row.listingId,
    version: row.cardVersion,
    card: JSON.stringify(renderListing(row, config.addressNetwork)),
  }))
  await writeListingCards(sql, shown)
  const last = rows[page.rows - 2]
  return {
    cards: shown.map((each) => each.card).join(','),
    rowCount: rows.length,
    lastKeys: last ? [last.priceSats, last.listedAtText, last.listingId] : [],
    expiresAt: earliest(...rows.map((row) => row.expiresAt)),
  }
}

/** One listing as the API shows it. */
export function renderListing(
  row: BookRow,
  addressNetwork: Context['config']['addressNetwork'],
): AnswerOf<typeof listOperation>['listings'][number] {
  return {
    listingId: row.listingId,
    ...describeItem(row),
    sellerAddress: addressOfScript(row.sellerScript, addressNetwork)!,
    priceSats: row.priceSats,
    listedAt: row.listedAt.toISOString(),
    listingExpiresAt: row.expiresAt?.toISOString() ?? null,
    ...locationOf(row),
  }
}
