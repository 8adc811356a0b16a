import { type Static, Type } from 'typebox'
import { Bps, NonnegativeSats, OfferPriceSats, PositiveSats } from './amounts.ts'
import { batchOf } from './batch-of.ts'
import { carries } from './carried.ts'
import { Nullable, OneOf } from './choices.ts'
import { slugParams } from './collections.ts'
import { ValidityHours } from './duration-schemas.ts'
import { operation, STD } from './operation.ts'
import { Address, DateTime, InscriptionId, Txid, Uuid, WalletBindingRequest } from './scalars.ts'
import { ownerRequest, PsbtStep, payerRequest, SelectedUtxos, SignedPsbtStep } from './signing.ts'

export const OfferKind = OneOf('buyer_offer', 'seller_counter')
export type OfferKind = Static<typeof OfferKind>
export const OfferStatus = OneOf('active', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')
export const Side = OneOf('received', 'sent')
export const FeeRate = Type.Number({ exclusiveMinimum: 0, examples: [12.5] })
const AcceptanceFeeRate = Type.Number({ minimum: 1, maximum: 20, examples: [12.5] })

/** Fields of every active offer. */
export const executable = {
  executable: Type.Boolean({
    description:
      "Whether the seller's net is positive at the current network fee. Until the fee falls, an offer that is not executable cannot be accepted and is ignored in floors, warnings and checks.",
  }),
}

/** Breakdown of a price, without miner fees. */
export const economics = {
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
const OfferRow = Type.Object(
  {
    ...economics,
    ...executable,
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
export const offerParams = Type.Object({ id: InscriptionId, offerId: Uuid })
export const Count = Type.Integer({ minimum: 0, examples: [1] })

export const listInscriptionOffers = operation({
  id: 'listInscriptionOffers',
  method: 'GET',
  path: '/inscriptions/{id}/offers',
  area: 'Offers',
  summary: 'Active offers on an inscription, and counters that the caller sent or received.',
  description:
    'topOfferSats of the response is the current highest offer; topOfferSats and floorSats of a row are from the time of the offer.',
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
  summary: 'All offers on an inscription in any state, newest first, 25 per page.',
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
  ...payerRequest,
  inscriptionIds: batchOf(InscriptionId),
  priceSats: OfferPriceSats,
  validityHours: Type.Optional(ValidityHours),
}

export const preflightCollectionOffer = operation({
  id: 'preflightCollectionOffer',
  method: 'POST',
  path: '/collection/{slug}/offers/preflight',
  area: 'Offers',
  summary:
    'Prepare offers on 1 to 20 inscriptions at one price. Returns a settlement for each, for the buyer to sign.',
  description:
    'The same coins back all offers, so the first accepted offer ends the others. Nothing is broadcast until a seller accepts.',
  params: slugParams,
  body: Type.Object(offerRequest, { title: 'CollectionOfferPreflightRequest' }),
  answer: Type.Object(
    {
      selectedPaymentUtxos: SelectedUtxos,
      items: batchOf(
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
      ),
      ...carries,
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
      signedItems: batchOf(
        Type.Object(
          {
            inscriptionId: InscriptionId,
            expectedSettlementTxid: Txid,
            signedSteps: Type.Array(SignedPsbtStep, { minItems: 1, maxItems: 1 }),
          },
          { title: 'SignedItem' },
        ),
      ),
    },
    { title: 'CollectionOfferSubmitRequest' },
  ),
  answer: Type.Object(
    {
      items: batchOf(
        Type.Object(
          { inscriptionId: InscriptionId, offerId: Uuid, status: Type.Literal('active') },
          { title: 'SubmittedOffer' },
        ),
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

/** Defines a POST without PSBTs. */
export const action = <const Id extends string, const Path extends string>(
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
    whileBehind: true,
  })

export const cancelOffer = action(
  'cancelOffer',
  '/inscriptions/{id}/offers/{offerId}/cancel',
  'Cancel one of your offers or counters.',
  "After the response, the market does not use the signature. To make the cancellation final, spend one of the offer's coins.",
)

export const rejectOffer = action(
  'rejectOffer',
  '/inscriptions/{id}/offers/{offerId}/reject',
  'Decline a received offer.',
  'Requires the owner of the inscription.',
)

export const declineBids = operation({
  id: 'declineBids',
  method: 'POST',
  path: '/inscriptions/{id}/decline-bids',
  area: 'Offers',
  summary: 'Turn collection and trait offers on one of your inscriptions off or on.',
  description:
    'Requires the owner of the inscription, and ends when it changes hands. While turned off, the offers cannot be filled with this inscription, do not prevent a lower listing, and cause no belowTopOfferWarning. declined: false turns them on again. Does not affect offers on the inscription itself; decline each with rejectOffer.',
  params: inscriptionParams,
  body: Type.Object(
    { ...WalletBindingRequest.properties, declined: Type.Optional(Type.Boolean({ default: true })) },
    { title: 'DeclineBidsRequest' },
  ),
  answer: Type.Object({ inscriptionId: InscriptionId, declined: Type.Boolean() }, { title: 'BidsDeclined' }),
  statuses: STD,
  token: true,
  bucket: 'writes',
  whileBehind: true,
})

export const preflightOfferAcceptance = operation({
  id: 'preflightOfferAcceptance',
  method: 'POST',
  path: '/inscriptions/{id}/offers/{offerId}/accept/preflight',
  area: 'Offers',
  summary: 'Prepare the acceptance of an offer. Returns the settlement for the seller to sign.',
  description:
    'If the current fee rate exceeds the rate that the buyer signed, a second step spends the payout to the same address and pays the missing fee (CPFP): estimatedNetworkFeeSats, deducted from the payout.',
  params: offerParams,
  body: Type.Object(ownerRequest, { title: 'OfferAcceptPreflightRequest' }),
  answer: Type.Object(
    {
      offerId: Uuid,
      targetFeeRateSatVb: AcceptanceFeeRate,
      estimatedNetworkFeeSats: NonnegativeSats,
      expectedSettlementTxid: Txid,
      expectedPayoutTxid: Nullable(Txid),
      steps: Type.Array(PsbtStep, { minItems: 1, maxItems: 2 }),
      ...carries,
    },
    { title: 'OfferAcceptPreflightResponse' },
  ),
  statuses: STD,
  token: true,
  bucket: 'writes',
})

export const OfferAcceptSubmitResponse = Type.Object(
  { offerId: Uuid, settlementTxid: Txid, payoutTxid: Nullable(Txid), status: Type.Literal('accepted') },
  { title: 'OfferAcceptSubmitResponse' },
)

export const submitOfferAcceptance = operation({
  id: 'submitOfferAcceptance',
  method: 'POST',
  path: '/inscriptions/{id}/offers/{offerId}/accept/submit',
  area: 'Offers',
  summary: 'Accept an offer. Both signatures settle it on the chain.',
  description:
    'The market rebuilds the transactions at targetFeeRateSatVb and rejects different transaction ids.',
  params: offerParams,
  body: Type.Object(
    {
      ...ownerRequest,
      targetFeeRateSatVb: AcceptanceFeeRate,
      expectedSettlementTxid: Txid,
      expectedPayoutTxid: Nullable(Txid),
      signedSteps: Type.Array(SignedPsbtStep, { minItems: 1, maxItems: 2 }),
    },
    { title: 'OfferAcceptSubmitRequest' },
  ),
  answer: OfferAcceptSubmitResponse,
  statuses: STD,
  token: true,
  bucket: 'writes',
})

export type OfferRowAnswer = Static<typeof OfferRow>
export type OfferActionAnswer = Static<typeof OfferActionResponse>
