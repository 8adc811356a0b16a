import { addressOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import type { listListings as listOperation } from '@ordbook/contract/listings.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import { cachedFeed } from '@ordbook/http/responses/cached-feed.ts'
import { jsonListOf, jsonOf } from '@ordbook/http/responses/raw-json.ts'
import { describeItem, locationOf } from '../collections/rendered-item.ts'
import type { Context } from '../context.ts'
import { toFault } from '../preflight/refuse.ts'
import type { PagedUseCase } from '../use-case.ts'
import { BOOK_ORDERS, type BookRow, listBook, saveRenderedListings, sliceBook } from './book-queries.ts'

export const browseListings: PagedUseCase<typeof listOperation> = async (context, cursors, { query }) => {
  const { sql, reads, config } = context
  const { limit = 50, sort = 'recent', inscriptionId = null, sellerAddress = null, cursor } = query
  const collectionSlug = query.collectionSlug?.toLowerCase() ?? null
  const sellerScript =
    sellerAddress === null
      ? null
      : toFault(() => scriptOfAddress(sellerAddress, config.addressNetwork), 'sellerAddress')
  const filter = { collectionSlug, inscriptionId, sellerScript }
  return cachedFeed(context, cursors, {
    scope: ['listings', sort, collectionSlug, inscriptionId, sellerAddress],
    order: BOOK_ORDERS[sort],
    limit,
    cursor,
    slice: (page) => sliceBook(reads, { ...filter, ...page }),
    render: async (page, from) =>
      (await listBook(from, { ...filter, ...page })).map((row) => renderRow(row, config)),
    keep: (rendered) =>
      saveRenderedListings(
        sql,
        rendered.filter((row) => row.isKept),
      ),
    finish: (rows, pagination, { collectionId }) => ({
      json: jsonOf<AnswerOf<typeof listOperation>>({ listings: jsonListOf(rows), pagination }),
      tags: [collectionId ? `c:${collectionId}` : collectionSlug === null ? 'listings' : 'collections'],
    }),
  })
}

const renderRow = (row: BookRow, { addressNetwork }: Context['config']) => ({
  id: row.listingId,
  version: row.renderedVersion,
  isKept: row.isKept,
  text: JSON.stringify(renderListing(row, addressNetwork)),
  expiresAt: row.expiresAt,
  keys: row.keys,
})

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
