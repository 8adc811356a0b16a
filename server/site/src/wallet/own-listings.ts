import type { listOwnListings as operation } from '@ordbook/contract/storefront/wallet.ts'
import { paginationOf } from '@ordbook/http/operations/cursor.ts'
import { scriptsOf } from '@ordbook/market/proposals/own.ts'
import type { PagedUseCase } from '@ordbook/market/use-case.ts'
import { nameOf } from '../items/named-items.ts'
import { countOwnListings, listOwnListingRows } from './own-listing-queries.ts'

/** Days after which ended listings are omitted. */
const DAYS = 30
const MAX_COUNTED = 1000

/** Lists the session's live listings, and listings that ended without a sale. */
export const listOwnListings: PagedUseCase<typeof operation> = async (
  context,
  cursors,
  { session, query },
) => {
  const { reads, clock } = context
  const { limit = 50, cursor } = query
  const scope = ['own-listings', session.profileId]
  const after = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'text' }])
  const sellerScripts = await scriptsOf(context, session)
  const since = new Date(clock().getTime() - DAYS * 86_400_000)
  const [rows, { live, ended }] = await Promise.all([
    listOwnListingRows(reads, {
      sellerScripts,
      since,
      after: after && { listedAt: after[0], listingId: after[1] },
      rows: limit + 1,
    }),
    countOwnListings(reads, { sellerScripts, since, most: MAX_COUNTED }),
  ])
  const page = rows.slice(0, limit)
  return {
    listings: page.map((row) => ({
      listingId: row.listingId,
      inscriptionId: row.inscriptionId,
      name: nameOf(row),
      contentType: row.contentType,
      imageRenderingHint: row.imageRenderingHint,
      collectionSlug: row.collectionSlug,
      collectionName: row.collectionName,
      verificationStatus: row.verificationStatus,
      collectionFloorSats: row.collectionFloorSats,
      state: row.state,
      priceSats: row.priceSats,
      receiveSats: row.receiveSats,
      listedAt: row.listedAt.toISOString(),
      expiresAt: row.expiresAt?.toISOString() ?? null,
      endedAt: row.endedAt?.toISOString() ?? null,
      isInEscrow: row.isInEscrow,
    })),
    liveCount: live,
    endedCount: ended,
    pagination: paginationOf(rows.length, limit, () => {
      const last = page.at(-1)!
      return cursors.encode(scope, [last.listedAtText, last.listingId])
    }),
  }
}
