import { addressOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import type { listListings as listOperation } from '@ordbook/contract/listings.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import { describeItem, locationOf } from '../collections/item-card.ts'
import type { Context } from '../context.ts'
import { refuseBitcoin } from '../engine/refuse.ts'
import { type CursorCodec, pageOf } from '../http/cursor.ts'
import { listBook } from './queries.ts'

/** A page of the order book. */
export async function browseListings(
  { sql, config, clock }: Context,
  cursors: CursorCodec,
  query: QueryOf<typeof listOperation>,
): Promise<AnswerOf<typeof listOperation>> {
  const { limit = 50, sort = 'recent' } = query
  const collectionSlug = query.collectionSlug?.toLowerCase() ?? null
  const sellerScript =
    query.sellerAddress === undefined
      ? null
      : refuseBitcoin(() => scriptOfAddress(query.sellerAddress!, config.addressNetwork), 'sellerAddress')
  const scope = ['listings', sort, collectionSlug, query.inscriptionId ?? null, query.sellerAddress ?? null]
  const keys = cursors.decode(scope, query.cursor)
  const rows = await listBook(sql, {
    byPrice: sort === 'price',
    after: keys && {
      priceSats: Number(keys[0]),
      listedAt: new Date(Number(keys[1])),
      listingId: String(keys[2]),
    },
    collectionSlug,
    inscriptionId: query.inscriptionId ?? null,
    sellerScript,
    limit: limit + 1,
    now: clock(),
  })
  const { page, pagination } = pageOf(rows, limit, (row) =>
    cursors.encode(scope, [row.priceSats, row.listedAt.getTime(), row.listingId]),
  )
  return {
    listings: page.map((row) => ({
      listingId: row.listingId,
      ...describeItem(row),
      sellerAddress: addressOfScript(row.sellerScript, config.addressNetwork)!,
      priceSats: row.priceSats,
      listedAt: row.listedAt.toISOString(),
      listingExpiresAt: row.expiresAt?.toISOString() ?? null,
      ...locationOf(row),
    })),
    pagination,
  }
}
