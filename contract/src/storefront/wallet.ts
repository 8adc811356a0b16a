import { Type } from 'typebox'
import { NonnegativeSats, PositiveSats } from '../amounts.ts'
import { ListingState, Nullable, OneOf } from '../choices.ts'
import { BookRow } from '../collection-offers.ts'
import { pageOf, pageQuery } from '../paging.ts'
import { Proposal } from '../proposals.ts'
import {
  Address,
  CollectionSlug,
  CollectionSlugInput,
  DateTime,
  InscriptionId,
  Text,
  Uuid,
} from '../scalars.ts'
import { SpendableUtxo } from '../signing.ts'
import { Count, inCollection, read } from './read.ts'

const Holding = Type.Object(
  {
    inscriptionId: InscriptionId,
    inscriptionNumber: Nullable(Type.Integer()),
    name: Text,
    ...inCollection,
    topOfferSats: Nullable(PositiveSats),
    listingId: Nullable(Uuid),
    listingState: Nullable(ListingState),
    priceSats: Nullable(PositiveSats),
    traits: Type.Array(Type.Object({ type: Text, value: Text })),
    outpoint: SpendableUtxo,
  },
  { title: 'Holding' },
)

export const listHoldings = read('listHoldings', 'GET /holdings/{address}', {
  summary: 'The inscriptions of an address, latest inscribed coin first.',
  description:
    'Coins are sorted by their first inscription, latest first; inscriptions of a coin by sat, then by creation. With slug or q, a page searches twenty inscriptions of the address per requested row, so it can have few or no rows before the last page. `nextCursor` is null on the last page.',
  params: Type.Object({ address: Address }),
  query: Type.Object({
    ...pageQuery(100),
    slug: Type.Optional(CollectionSlugInput),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Part of an item or collection name.',
      }),
    ),
  }),
  answer: pageOf('HoldingsResponse', { holdings: Type.Array(Holding) }),
})

const OwnListing = Type.Object(
  {
    listingId: Uuid,
    inscriptionId: InscriptionId,
    name: Text,
    ...inCollection,
    state: OneOf('buyable', 'hidden_locked', 'pending_public', 'expired', 'invalidated'),
    priceSats: PositiveSats,
    /** What the seller receives if it sells, without the postage. */
    receiveSats: NonnegativeSats,
    listedAt: DateTime,
    expiresAt: Nullable(DateTime),
    endedAt: Nullable(DateTime),
    /** The price was set in escrow. */
    isInEscrow: Type.Boolean(),
  },
  { title: 'OwnListing' },
)

export const listOwnListings = read('listOwnListings', 'GET /own-listings', {
  summary: "The session's listings, newest first: active listings, and listings that ended without a sale.",
  description:
    'hidden_locked: being bought. pending_public: for sale from the next block. expired and invalidated: ended within the last 30 days, and not replaced.',
  query: Type.Object(pageQuery(50)),
  answer: pageOf('OwnListingsResponse', {
    listings: Type.Array(OwnListing),
    /** Total over all pages, up to 1,000. */
    liveCount: Count,
    endedCount: Count,
  }),
  token: true,
  sameForAll: false,
  statuses: [400, 401, 403, 429, 500],
})

export const listOwnBids = read('listOwnBids', 'GET /own-bids', {
  summary:
    "Active collection and trait offers of the session's wallets on all collections, best price first.",
  description: 'actionBindingId is the binding that can cancel the offer.',
  answer: Type.Object(
    {
      bids: Type.Array(
        Type.Object(
          { ...BookRow.properties, collectionSlug: CollectionSlug, collectionName: Text },
          { title: 'OwnBid' },
        ),
      ),
    },
    { title: 'OwnBidsResponse' },
  ),
  token: true,
  sameForAll: false,
  statuses: [401, 403, 429, 500],
})

export const listCoins = read('listCoins', 'GET /coins', {
  summary:
    "Payment coins of one of the session's bindings that can be spent: confirmed, without inscriptions and rare sats.",
  query: Type.Object({ walletBindingId: Uuid }),
  answer: Type.Object(
    {
      coins: Type.Array(SpendableUtxo),
      totalSats: NonnegativeSats,
      keptBackCount: Count,
      /** Current fee rate for the user's own transactions, in sat/vB. */
      feeRateSatVb: Type.Number({ exclusiveMinimum: 0 }),
    },
    { title: 'CoinsResponse' },
  ),
  token: true,
  sameForAll: false,
  statuses: [400, 401, 403, 429, 500, 503],
})

export const listMatchingProposals = read('listMatchingProposals', 'GET /matching-proposals', {
  summary: "Public proposals that the session's inscriptions can fill, newest first.",
  answer: Type.Object({ proposals: Type.Array(Proposal) }, { title: 'MatchingProposalsResponse' }),
  token: true,
  sameForAll: false,
  statuses: [401, 403, 429, 500],
})
