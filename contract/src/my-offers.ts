import { type Static, Type } from 'typebox'
import { NonnegativeSats, PositiveSats } from './amounts.ts'
import { DefaultOneOf, Nullable, OneOf } from './choices.ts'
import { Count, economics, executable, OfferKind, OfferStatus, Side } from './offers.ts'
import { operation } from './operation.ts'
import { Address, Cursor, DateTime, InscriptionId, Text, Uuid } from './scalars.ts'

const item = {
  inscriptionId: InscriptionId,
  inscriptionNumber: Type.String({ examples: ['0'] }),
  contentType: Nullable(Type.String()),
  inscriptionTitle: Nullable(Type.String()),
  collectionName: Nullable(Text),
  collectionSlug: Nullable(Text),
  collectionVerified: Type.Boolean(),
}

const ProfileOfferRow = Type.Object(
  {
    ...economics,
    ...executable,
    id: Uuid,
    kind: OfferKind,
    status: OfferStatus,
    side: Side,
    actionKind: Nullable(OneOf('seller_received_buyer_offer', 'buyer_received_counter')),
    actionBindingId: Nullable(Uuid),
    ...item,
    buyerAddress: Address,
    sellerAddress: Address,
    floorSats: Nullable(NonnegativeSats),
    topOfferSats: Nullable(NonnegativeSats),
    createdAt: DateTime,
    expiresAt: DateTime,
  },
  { title: 'ProfileOfferRow' },
)

const OwnedGroup = Type.Object(
  {
    ...item,
    ownerAddress: Address,
    actionBindingId: Nullable(Uuid),
    topOfferSats: Nullable(NonnegativeSats),
    activeOfferCount: Count,
    activeCounterCount: Count,
    earliestExpiresAt: Nullable(DateTime),
    offers: Type.Array(ProfileOfferRow),
    sentCounters: Type.Array(ProfileOfferRow),
  },
  { title: 'OwnedGroup' },
)

/** Has no pattern, because Go clients of openapi-generator reject null for a pattern in a union. */
const NullableTxid = Nullable(Type.String({ minLength: 64, maxLength: 64 }))

const HistoryEvent = Type.Object(
  {
    eventKey: Type.String({ examples: ['3f2b8c1e-5d74-4a09-9c1b-0e6f7a2d4b58:created'] }),
    eventType: OneOf('created', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated'),
    role: OneOf('buyer', 'seller'),
    offerId: Uuid,
    parentOfferId: Nullable(Uuid),
    kind: OfferKind,
    status: OfferStatus,
    side: Side,
    inscriptionId: InscriptionId,
    inscriptionNumber: Type.String({ examples: ['0'] }),
    inscriptionTitle: Nullable(Type.String()),
    buyerAddress: Address,
    sellerAddress: Address,
    priceSats: PositiveSats,
    occurredAt: DateTime,
    createdAt: DateTime,
    expiresAt: DateTime,
    settlementTxid: NullableTxid,
    payoutTxid: NullableTxid,
  },
  { title: 'HistoryEvent' },
)

const counts = {
  actionableCount: Count,
  ownedCount: Count,
  sentCount: Count,
  hasMore: Type.Boolean(),
  nextCursor: Nullable(Cursor),
}

const ProfileOffersResponse = Type.Union(
  [
    Type.Object(
      { view: Type.Literal('owned'), ...counts, groups: Type.Array(OwnedGroup) },
      { title: 'OwnedOffersResponse' },
    ),
    Type.Object(
      { view: Type.Literal('sent'), ...counts, rows: Type.Array(ProfileOfferRow) },
      { title: 'SentOffersResponse' },
    ),
    Type.Object(
      { view: Type.Literal('history'), ...counts, events: Type.Array(HistoryEvent) },
      { title: 'OfferEventsResponse' },
    ),
  ],
  { title: 'ProfileOffersResponse' },
)

export const listMyOffers = operation({
  id: 'listMyOffers',
  method: 'GET',
  path: '/me/offers',
  area: 'Offers',
  summary: "Offers of the caller's wallets: received, sent, or their history.",
  description:
    'owned: received offers and sent counters, grouped by inscription. sent: sent offers and the counters received on them. history: events, newest first. 25 rows per page; a cursor is valid only for its view.',
  query: Type.Object({
    view: DefaultOneOf('owned', 'sent', 'history'),
    cursor: Type.Optional(Cursor),
  }),
  answer: ProfileOffersResponse,
  statuses: [400, 401, 403, 429, 503],
  token: true,
  bucket: 'reads',
})

export type ProfileOfferRowAnswer = Static<typeof ProfileOfferRow>
export type OwnedGroupAnswer = Static<typeof OwnedGroup>
export type HistoryEventAnswer = Static<typeof HistoryEvent>
