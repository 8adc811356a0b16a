import type { Answer } from '@ordbook/sdk/operations.ts'
import { ago } from '@ordbook/web-ui/format/format.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import type { BatchRow } from '../batch/use-batch.ts'

export type OwnListing = Answer<'listOwnListings'>['listings'][number]
type Holding = Answer<'listHoldings'>['holdings'][number]

/** Ticket of the batch. The selection of the Items tab is passed on in it. */
export const LISTINGS = 'list holdings'

/** What a row shows of an item before its reference prices are known. */
export type Known = Omit<
  BatchRow,
  'traitFloorSats' | 'traitFloorOf' | 'bestBid' | 'bestBidSats' | 'topOfferSats' | 'royaltyBps'
>

/** Returns the row of a listing. A listing that ended is listed again at its price, unless another is typed. */
function rowOfListing(listing: OwnListing): Known | null {
  const { inscriptionId, name, state, priceSats, endedAt, collectionSlug: slug } = listing
  if (slug === null) return null
  const isLive = endedAt === null
  return {
    ...pictureOf(listing),
    inscriptionId,
    name,
    slug,
    floorSats: listing.collectionFloorSats,
    listedSats: isLive ? priceSats : null,
    listedReceiveSats: isLive ? listing.receiveSats : null,
    startSats: priceSats,
    listingId: isLive ? listing.listingId : null,
    status:
      state !== 'buyable'
        ? words.listingStates[state]
        : listing.expiresAt && `${words.ends} ${ago(listing.expiresAt)}`,
    isLocked: state === 'hidden_locked',
  }
}

/** Returns the row of a held item. */
function rowOfHolding(holding: Holding): Known | null {
  const { inscriptionId, name, collectionSlug: slug, listingState, priceSats } = holding
  if (slug === null) return null
  return {
    ...pictureOf(holding),
    inscriptionId,
    name,
    slug,
    floorSats: holding.collectionFloorSats,
    listedSats: priceSats,
    listedReceiveSats: null,
    startSats: priceSats,
    listingId: holding.listingId,
    status: listingState === null || listingState === 'buyable' ? null : words.listingStates[listingState],
    isLocked: listingState === 'hidden_locked',
  }
}

const pictureOf = ({
  contentType,
  imageRenderingHint,
  collectionName,
  verificationStatus,
}: Holding | OwnListing) => ({
  contentType,
  imageRenderingHint,
  collectionName,
  verificationStatus,
})

/**
 * Returns a row per item of a collection: the listings first, then the items without a listing. Listings in escrow are not among them:
 * their prices are set in escrow.
 */
export function rowsOf(listings: readonly OwnListing[], holdings: readonly Holding[]): Known[] {
  const rows = new Map<string, Known>()
  const inEscrow = new Set(listings.flatMap((each) => (each.isInEscrow ? [each.inscriptionId] : [])))
  const add = (row: Known | null) => {
    if (row && !inEscrow.has(row.inscriptionId) && !rows.has(row.inscriptionId))
      rows.set(row.inscriptionId, row)
  }
  for (const listing of listings) add(rowOfListing(listing))
  for (const holding of holdings) add(rowOfHolding(holding))
  return [...rows.values()]
}
