import { addressOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import type { listListings as listOperation } from '@ordbook/contract/listings.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import { describeItem, locationOf } from '../collections/item-card.ts'
import type { Context } from '../context.ts'
import { earliest } from '../derived/page-cache.ts'
import { type CursorCodec, cutCards, joinCards, paginationOf } from '../http/cursor.ts'
import { refuseBitcoin } from '../preflight/refuse.ts'
import { type BookPage, type BookRow, listBook, sliceBook, writeListingCards } from './book-queries.ts'

/** A page of the order book. */
export async function browseListings(
  context: Context,
  cursors: CursorCodec,
  query: QueryOf<typeof listOperation>,
): Promise<Buffer> {
  const { config, clock, pages } = context
  const { limit = 50, sort = 'recent', inscriptionId = null, sellerAddress = null } = query
  const collectionSlug = query.collectionSlug?.toLowerCase() ?? null
  const sellerScript =
    sellerAddress === null
      ? null
      : refuseBitcoin(() => scriptOfAddress(sellerAddress, config.addressNetwork), 'sellerAddress')
  const scope = ['listings', sort, collectionSlug, inscriptionId, sellerAddress]
  const keys = cursors.decode(scope, query.cursor)
  return pages.read([...scope, limit, query.cursor], clock, async () => {
    const page: BookPage = {
      byPrice: sort === 'price',
      after: keys && { priceSats: Number(keys[0]), listedAt: String(keys[1]), listingId: String(keys[2]) },
      collectionSlug,
      inscriptionId,
      sellerScript,
      rows: limit + 1,
      now: clock(),
    }
    const slice = await sliceBook(context.reads, page)
    const found = slice.stale ? await renderBook(context, page) : slice
    const pagination = paginationOf(found.rowCount, limit, () =>
      cursors.encode(scope, [found.lastPriceSats!, found.lastListedAt!, found.lastListingId!]),
    )
    const { collectionId } = slice
    return {
      body: Buffer.from(
        `{"listings":[${cutCards(found, limit)}],"pagination":${JSON.stringify(pagination)}}`,
      ),
      tags: [collectionId ? `c:${collectionId}` : collectionSlug === null ? 'listings' : 'collections'],
      validUntil: found.expiresAt,
    }
  })
}

/** The same page from what its cards are made of; keeps the cards. */
async function renderBook({ sql, config }: Context, page: BookPage) {
  const rows = await listBook(sql, page)
  const cards = rows.map((row) => ({
    id: row.listingId,
    version: row.cardVersion,
    card: JSON.stringify(renderListing(row, config.addressNetwork)),
  }))
  await writeListingCards(sql, cards)
  const last = rows[page.rows - 2]
  return {
    ...joinCards(cards),
    lastPriceSats: last?.priceSats,
    lastListedAt: last?.listedAtText,
    lastListingId: last?.listingId,
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
    locationValueSats: row.outputValueSats,
  }
}
