import { type Static, Type } from 'typebox'
import { slugParams } from './collections.ts'
import { operation, STD } from './operation.ts'
import {
  Address,
  Bps,
  Cursor,
  DateTime,
  InscriptionId,
  NonnegativeSats,
  Nullable,
  OfferPriceSats,
  OneOf,
  PositiveSats,
  Txid,
  Uuid,
  ValidityHours,
  WalletBindingRequest,
  WalletPublicKey,
} from './scalars.ts'
import { PsbtStep, SelectedUtxos, SpendableUtxos } from './signing.ts'

export const OfferKind = OneOf('buyer_offer', 'seller_counter')
export const OfferStatus = OneOf('active', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')
const Side = OneOf('received', 'sent')
const FeeRate = Type.Number({ exclusiveMinimum: 0, examples: [12.5] })
/** What an acceptance may choose. */
const AcceptanceFeeRate = Type.Number({ minimum: 1, maximum: 20, examples: [12.5] })

/** How a price is split; miner fees are outside of all of it. */
const economics = {
  priceSats: PositiveSats,
  inscriptionUtxoValueSats: PositiveSats,
  sellerMarketplaceFeeBps: Bps,
  sellerMarketplaceFeeSats: NonnegativeSats,
  buyerMarketplaceFeeBps: Bps,
  buyerMarketplaceFeeSats: NonnegativeSats,
  sellerCreatorRoyaltyBps: Bps,
  sellerCreatorRoyaltySats: NonnegativeSats,
  buyerCreatorRoyaltyBps: Bps,
  buyerCreatorRoyaltySats: NonnegativeSats,
  sellerReceiveSats: NonnegativeSats,
  buyerPayTotalSats: PositiveSats,
  marketplaceRevenueSats: NonnegativeSats,
  creatorRevenueSats: NonnegativeSats,
}
export const OfferEconomics = Type.Object(economics)

const OfferRow = Type.Object(
  {
    ...economics,
    id: Uuid,
    parentOfferId: Nullable(Uuid),
    kind: OfferKind,
    status: OfferStatus,
    inscriptionId: InscriptionId,
    buyerAddress: Address,
    sellerAddress: Address,
    createdAt: DateTime,
    expiresAt: DateTime,
    acceptedAt: Nullable(DateTime),
    rejectedAt: Nullable(DateTime),
    cancelledAt: Nullable(DateTime),
    floorSats: Nullable(NonnegativeSats),
    topOfferSats: Nullable(NonnegativeSats),
    settlementTxid: Nullable(Txid),
  },
  { title: 'OfferRow' },
)

const inscriptionParams = Type.Object({ id: InscriptionId })
const offerParams = Type.Object({ id: InscriptionId, offerId: Uuid })
const Count = Type.Integer({ minimum: 0, examples: [1] })

export const listInscriptionOffers = operation({
  id: 'listInscriptionOffers',
  method: 'GET',
  path: '/inscriptions/{id}/offers',
  area: 'Offers',
  summary: 'Active offers on an inscription, and the counters that the caller is a party to.',
  description:
    'topOfferSats is the highest now; the one of each row, and its floorSats, are as they were when the offer was made.',
  params: inscriptionParams,
  answer: Type.Object(
    {
      inscriptionId: InscriptionId,
      ownerAddress: Address,
      topOfferSats: Nullable(NonnegativeSats),
      liveOfferCount: Count,
      expiringSoonCount: Count,
      offers: Type.Array(OfferRow),
    },
    { title: 'OfferListResponse' },
  ),
  statuses: [400, 401, 403, 404, 429, 503],
  token: true,
  bucket: 'reads',
})

export const listInscriptionOfferHistory = operation({
  id: 'listInscriptionOfferHistory',
  method: 'GET',
  path: '/inscriptions/{id}/offers/history',
  area: 'Offers',
  summary: 'Every offer that an inscription ever had, newest first, 25 a page.',
  params: inscriptionParams,
  query: Type.Object({
    page: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, default: 0 })),
  }),
  answer: Type.Object(
    {
      inscriptionId: InscriptionId,
      offers: Type.Array(OfferRow, { maxItems: 25 }),
      hasMore: Type.Boolean(),
      page: Type.Integer({ minimum: 0 }),
    },
    { title: 'OfferHistoryResponse' },
  ),
  statuses: [400, 401, 403, 404, 429, 503],
  token: true,
  bucket: 'reads',
})

const offerRequest = {
  ...WalletBindingRequest.properties,
  paymentPublicKey: WalletPublicKey,
  inscriptionIds: Type.Array(InscriptionId, { minItems: 1, maxItems: 20 }),
  priceSats: OfferPriceSats,
  validityHours: Type.Optional(ValidityHours),
  spendableUtxos: Type.Optional(SpendableUtxos),
}

export const preflightCollectionOffer = operation({
  id: 'preflightCollectionOffer',
  method: 'POST',
  path: '/collection/{slug}/offers/preflight',
  area: 'Offers',
  summary:
    'Prepare offers on 1 to 20 inscriptions at one price: for each the settlement that the buyer signs.',
  description:
    'One selection of coins backs all of them: the first that is accepted ends the others. Nothing is broadcast until a seller accepts.',
  params: slugParams,
  body: Type.Object(offerRequest, { title: 'CollectionOfferPreflightRequest' }),
  answer: Type.Object(
    {
      selectedPaymentUtxos: SelectedUtxos,
      items: Type.Array(
        Type.Object(
          {
            ...economics,
            inscriptionId: InscriptionId,
            targetFeeRateSatVb: FeeRate,
            estimatedNetworkFeeSats: NonnegativeSats,
            expectedSettlementTxid: Txid,
            steps: Type.Array(PsbtStep, { minItems: 1, maxItems: 1 }),
          },
          { title: 'CollectionOfferPreflightItem' },
        ),
        { minItems: 1, maxItems: 20 },
      ),
    },
    { title: 'CollectionOfferPreflightResponse' },
  ),
  statuses: STD,
  token: true,
  bucket: 'writes',
})

export const submitCollectionOffer = operation({
  id: 'submitCollectionOffer',
  method: 'POST',
  path: '/collection/{slug}/offers/submit',
  area: 'Offers',
  summary: 'Publish prepared offers with their signed settlements. Nothing is broadcast.',
  params: slugParams,
  body: Type.Object(
    {
      ...offerRequest,
      selectedPaymentUtxos: SelectedUtxos,
      signedItems: Type.Array(
        Type.Object(
          {
            inscriptionId: InscriptionId,
            expectedSettlementTxid: Txid,
            signedSteps: Type.Array(PsbtStep, { minItems: 1, maxItems: 1 }),
          },
          { title: 'SignedItem' },
        ),
        { minItems: 1, maxItems: 20 },
      ),
    },
    { title: 'CollectionOfferSubmitRequest' },
  ),
  answer: Type.Object(
    {
      items: Type.Array(
        Type.Object({ inscriptionId: InscriptionId, offerId: Uuid, status: Type.Literal('active') }),
        { minItems: 1, maxItems: 20 },
      ),
      status: Type.Literal('active'),
    },
    { title: 'CollectionOfferSubmitResponse' },
  ),
  statuses: STD,
  token: true,
  bucket: 'writes',
})

const OfferActionResponse = Type.Object(
  { offerId: Uuid, status: OfferStatus },
  { title: 'OfferActionResponse' },
)

/** One call, no PSBT. */
const action = <const Id extends string, const Path extends string>(
  id: Id,
  path: Path,
  summary: string,
  description: string,
) =>
  operation({
    id,
    method: 'POST',
    path,
    area: 'Offers',
    summary,
    description,
    params: offerParams,
    body: WalletBindingRequest,
    answer: OfferActionResponse,
    statuses: STD,
    token: true,
    bucket: 'writes',
  })

export const cancelOffer = action(
  'cancelOffer',
  '/inscriptions/{id}/offers/{offerId}/cancel',
  'Take an own offer back; a seller takes a counter back by its id.',
  'From the answer on the market does not hand the signature out. Spending one of the coins makes that final by itself.',
)

export const rejectOffer = action(
  'rejectOffer',
  '/inscriptions/{id}/offers/{offerId}/reject',
  'Decline an offer that was received.',
  'For the owner of the inscription.',
)

export const rejectCounterOffer = action(
  'rejectCounterOffer',
  '/inscriptions/{id}/offers/{offerId}/counter/reject',
  "Decline a counter that was received; offerId is the counter's.",
  'The offer that it answered stays active.',
)

const acceptRequest = { ...WalletBindingRequest.properties, ordinalsPublicKey: WalletPublicKey }

export const preflightOfferAcceptance = operation({
  id: 'preflightOfferAcceptance',
  method: 'POST',
  path: '/inscriptions/{id}/offers/{offerId}/accept/preflight',
  area: 'Offers',
  summary: 'Prepare the acceptance of an offer: the settlement for the seller to sign.',
  description:
    'Where the fee rate of now is above the one that the buyer signed, a second step spends the payout to the same address and pays for both: estimatedNetworkFeeSats is what that takes of the payout.',
  params: offerParams,
  body: Type.Object(acceptRequest, { title: 'OfferAcceptPreflightRequest' }),
  answer: Type.Object(
    {
      offerId: Uuid,
      targetFeeRateSatVb: AcceptanceFeeRate,
      estimatedNetworkFeeSats: NonnegativeSats,
      expectedSettlementTxid: Txid,
      expectedPayoutTxid: Nullable(Txid),
      steps: Type.Array(PsbtStep, { minItems: 1, maxItems: 2 }),
    },
    { title: 'OfferAcceptPreflightResponse' },
  ),
  statuses: STD,
  token: true,
  bucket: 'writes',
})

const OfferAcceptSubmitResponse = Type.Object(
  { offerId: Uuid, settlementTxid: Txid, payoutTxid: Nullable(Txid), status: Type.Literal('accepted') },
  { title: 'OfferAcceptSubmitResponse' },
)

export const submitOfferAcceptance = operation({
  id: 'submitOfferAcceptance',
  method: 'POST',
  path: '/inscriptions/{id}/offers/{offerId}/accept/submit',
  area: 'Offers',
  summary: 'Accept an offer: both signatures together settle it on the chain.',
  description:
    'Rebuilt at the fee rate given. The settlement and the payout of another rate have other ids, and are refused.',
  params: offerParams,
  body: Type.Object(
    {
      ...acceptRequest,
      targetFeeRateSatVb: AcceptanceFeeRate,
      expectedSettlementTxid: Txid,
      expectedPayoutTxid: Nullable(Txid),
      signedSteps: Type.Array(PsbtStep, { minItems: 1, maxItems: 2 }),
    },
    { title: 'OfferAcceptSubmitRequest' },
  ),
  answer: OfferAcceptSubmitResponse,
  statuses: STD,
  token: true,
  bucket: 'writes',
})

const counterRequest = {
  ...WalletBindingRequest.properties,
  ordinalsPublicKey: WalletPublicKey,
  priceSats: OfferPriceSats,
  validityHours: Type.Optional(ValidityHours),
}

export const preflightCounterOffer = operation({
  id: 'preflightCounterOffer',
  method: 'POST',
  path: '/inscriptions/{id}/offers/{offerId}/counter/preflight',
  area: 'Offers',
  summary: "Prepare a counter: the seller's price on an offer, to its buyer alone.",
  description:
    'Three steps, as of a listing: the transfer into escrow, the settlement that fixes who gets what, the recovery. expectedSettlementTxid is the id of the settlement before the buyer adds the funding to it.',
  params: offerParams,
  body: Type.Object(counterRequest, { title: 'CounterPreflightRequest' }),
  answer: Type.Object(
    {
      ...economics,
      anchorUtxoId: Uuid,
      targetFeeRateSatVb: FeeRate,
      estimatedNetworkFeeSats: NonnegativeSats,
      expectedTransferTxid: Txid,
      expectedSettlementTxid: Txid,
      steps: Type.Array(PsbtStep, { minItems: 3, maxItems: 3 }),
    },
    { title: 'CounterPreflightResponse' },
  ),
  statuses: STD,
  token: true,
  bucket: 'writes',
})

export const submitCounterOffer = operation({
  id: 'submitCounterOffer',
  method: 'POST',
  path: '/inscriptions/{id}/offers/{offerId}/counter/submit',
  area: 'Offers',
  summary: 'Publish a prepared counter. A newer counter on the same offer replaces it. Nothing is broadcast.',
  params: offerParams,
  body: Type.Object(
    {
      ...counterRequest,
      anchorUtxoId: Uuid,
      expectedTransferTxid: Txid,
      expectedSettlementTxid: Txid,
      signedSteps: Type.Array(PsbtStep, { minItems: 3, maxItems: 3 }),
    },
    { title: 'CounterSubmitRequest' },
  ),
  answer: Type.Object(
    { offerId: Uuid, parentOfferId: Uuid, status: Type.Literal('active') },
    { title: 'CounterSubmitResponse' },
  ),
  statuses: STD,
  token: true,
  bucket: 'writes',
})

const counterAcceptRequest = {
  ...WalletBindingRequest.properties,
  paymentPublicKey: WalletPublicKey,
  spendableUtxos: Type.Optional(SpendableUtxos),
}

export const preflightCounterOfferAcceptance = operation({
  id: 'preflightCounterOfferAcceptance',
  method: 'POST',
  path: '/inscriptions/{id}/offers/{offerId}/counter/accept/preflight',
  area: 'Offers',
  summary: "Prepare the acceptance of a counter: the funding and the settlement; offerId is the counter's.",
  params: offerParams,
  body: Type.Object(counterAcceptRequest, { title: 'CounterAcceptPreflightRequest' }),
  answer: Type.Object(
    {
      offerId: Uuid,
      selectedPaymentUtxos: SelectedUtxos,
      targetFeeRateSatVb: FeeRate,
      estimatedNetworkFeeSats: NonnegativeSats,
      expectedFundingTxid: Txid,
      expectedSettlementTxid: Txid,
      steps: Type.Array(PsbtStep, { minItems: 2, maxItems: 2 }),
    },
    { title: 'CounterAcceptPreflightResponse' },
  ),
  statuses: STD,
  token: true,
  bucket: 'writes',
})

export const submitCounterOfferAcceptance = operation({
  id: 'submitCounterOfferAcceptance',
  method: 'POST',
  path: '/inscriptions/{id}/offers/{offerId}/counter/accept/submit',
  area: 'Offers',
  summary: 'Accept a counter: transfer, funding and settlement are broadcast together.',
  params: offerParams,
  body: Type.Object(
    {
      ...counterAcceptRequest,
      selectedPaymentUtxos: SelectedUtxos,
      expectedFundingTxid: Txid,
      expectedSettlementTxid: Txid,
      signedSteps: Type.Array(PsbtStep, { minItems: 2, maxItems: 2 }),
    },
    { title: 'CounterAcceptSubmitRequest' },
  ),
  answer: OfferAcceptSubmitResponse,
  statuses: STD,
  token: true,
  bucket: 'writes',
})

const item = {
  inscriptionId: InscriptionId,
  inscriptionNumber: Type.String({ examples: ['0'] }),
  contentType: Nullable(Type.String()),
  inscriptionTitle: Nullable(Type.String()),
  collectionName: Nullable(Type.String()),
  collectionSlug: Nullable(Type.String()),
  collectionVerified: Type.Boolean(),
}

const ProfileOfferRow = Type.Object(
  {
    ...economics,
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
    settlementTxid: Nullable(Txid),
    payoutTxid: Nullable(Txid),
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

const ProfileOffersResponse = Type.Union([
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
])

export const listMyOffers = operation({
  id: 'listMyOffers',
  method: 'GET',
  path: '/me/offers',
  area: 'Offers',
  summary: "Offers that concern the caller's wallets: on what they own, sent by them, and what happened.",
  description:
    'owned: groups by inscription, with the offers received and the counters sent. sent: own offers, and the counters that were received on them. history: events, newest first. 25 a page; a cursor belongs to its view.',
  query: Type.Object({
    view: Type.Optional(
      Type.Unsafe<'owned' | 'sent' | 'history'>({
        type: 'string',
        enum: ['owned', 'sent', 'history'],
        default: 'owned',
      }),
    ),
    cursor: Type.Optional(Cursor),
  }),
  answer: ProfileOffersResponse,
  statuses: [400, 401, 403, 429, 503],
  token: true,
  bucket: 'reads',
})

export type OfferRowAnswer = Static<typeof OfferRow>
export type ProfileOfferRowAnswer = Static<typeof ProfileOfferRow>
export type OwnedGroupAnswer = Static<typeof OwnedGroup>
export type HistoryEventAnswer = Static<typeof HistoryEvent>
export type OfferActionAnswer = Static<typeof OfferActionResponse>
