import { Type } from 'typebox'
import { NonnegativeSats, PositiveSats } from '../amounts.ts'
import { ListingState, Nullable, OneOf } from '../choices.ts'
import { pageOf, pageQuery } from '../paging.ts'
import { Proposal } from '../proposals.ts'
import { Address, CollectionSlugInput, DateTime, InscriptionId, Text, Uuid } from '../scalars.ts'
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
  summary: 'The inscriptions of an address, most recently inscribed coins first.',
  description:
    'Coins are sorted by their first inscription, latest first; inscriptions of a coin by sat, on one sat by creation. slug and q search twenty inscriptions of the address for each row of the page. A page can have fewer rows than its limit, or none, and still be followed by another: `nextCursor` is null at the end.',
  params: Type.Object({ address: Address }),
  query: Type.Object({
    ...pageQuery(100),
    slug: Type.Optional(CollectionSlugInput),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'A part of the name of the item or collection.',
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
    listedAt: DateTime,
    expiresAt: Nullable(DateTime),
    endedAt: Nullable(DateTime),
    /** Whether the inscription is in escrow; its price was set there. */
    isInEscrow: Type.Boolean(),
  },
  { title: 'OwnListing' },
)

export const listOwnListings = read('listOwnListings', 'GET /own-listings', {
  summary: "The session's own listings, newest first: live ones, and ones that ended without a sale.",
  description:
    'hidden_locked is being bought; pending_public is for sale from the next block on. expired and invalidated listings ended within 30 days and were not replaced.',
  query: Type.Object(pageQuery(50)),
  answer: pageOf('OwnListingsResponse', {
    listings: Type.Array(OwnListing),
    /** Over all pages, up to 1,000. */
    liveCount: Count,
    endedCount: Count,
  }),
  token: true,
  sameForAll: false,
  statuses: [400, 401, 403, 429, 500],
})

export const listCoins = read('listCoins', 'GET /coins', {
  summary:
    'The payment coins of a binding of the session that may be spent: confirmed, and holding nothing rare.',
  query: Type.Object({ walletBindingId: Uuid }),
  answer: Type.Object(
    {
      coins: Type.Array(SpendableUtxo),
      totalSats: NonnegativeSats,
      keptBackCount: Count,
      /** The current fee rate for the user's own transaction, in sat/vB. */
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
