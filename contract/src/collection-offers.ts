import { type Static, Type } from 'typebox'
import { CollectionWideOfferPriceSats, NonnegativeSats, PositiveSats } from './amounts.ts'
import { carries } from './carried.ts'
import { Nullable } from './choices.ts'
import { slugParams } from './collections.ts'
import { ValidityHours } from './duration-schemas.ts'
import { executable } from './offers.ts'
import { FULL, operation } from './operation.ts'
import {
  Address,
  Bytes32Hex,
  CollectionSlugInput,
  DateTime,
  HexString,
  InscriptionId,
  Text,
  TraitText,
  Txid,
  Uuid,
  WalletBindingRequest,
  WalletPublicKey,
} from './scalars.ts'
import { ownerRequest, PreferredUtxos, PsbtStep, SignedPsbtStep, SpendableUtxo } from './signing.ts'

const TraitGroup = Type.Object(
  { type: TraitText, values: Type.Array(TraitText, { minItems: 1, maxItems: 16 }) },
  { title: 'TraitGroup' },
)
/** Any item of the collection, or items with at least one value of each trait group. */
export const CollectionOfferTarget = Type.Union(
  [
    Type.Object({ kind: Type.Literal('all') }, { title: 'AllTarget' }),
    Type.Object(
      { kind: Type.Literal('traits'), traits: Type.Array(TraitGroup, { minItems: 1, maxItems: 8 }) },
      { title: 'TraitsTarget' },
    ),
  ],
  { title: 'CollectionOfferTarget' },
)
export type CollectionOfferTarget = Static<typeof CollectionOfferTarget>

const SampleInscription = Type.Object(
  {
    inscriptionId: InscriptionId,
    image: Nullable(Text),
    previewContentType: Nullable(Type.String()),
    imageRenderingHint: Type.Optional(Nullable(Type.String())),
  },
  { title: 'SampleInscription' },
)
const sample = { sampleInscription: Type.Optional(Nullable(SampleInscription)) }

const Count = Type.Integer({ minimum: 0, examples: [1] })
export const BookRow = Type.Object(
  {
    id: Uuid,
    target: CollectionOfferTarget,
    scopeLabel: Text,
    priceSats: PositiveSats,
    eligibleCount: Type.Integer({ minimum: 1 }),
    makerAddress: Address,
    expiresAt: DateTime,
    createdAt: DateTime,
    totalSats: PositiveSats,
    status: Type.Literal('active'),
    ...executable,
    actionBindingId: Type.Optional(Nullable(Uuid)),
    ...sample,
  },
  { title: 'CollectionOfferBookRow' },
)
const book = Type.Object(
  {
    rows: Type.Array(BookRow),
    totalCount: Count,
    collectionOfferCount: Count,
    traitOfferCount: Count,
  },
  { title: 'CollectionWideOfferBookResponse' },
)

export const listCollectionOfferBook = operation({
  id: 'listCollectionOfferBook',
  method: 'GET',
  path: '/collection/{slug}/collection-offers',
  area: 'Offers',
  summary: 'Active collection and trait offers on a collection, best price first.',
  params: slugParams,
  answer: book,
  statuses: FULL,
  token: true,
  sameForAll: true,
  bucket: 'reads',
})

export const listMySentCollectionOffers = operation({
  id: 'listMySentCollectionOffers',
  method: 'GET',
  path: '/collection/{slug}/my/sent-collection-offers',
  area: 'Offers',
  summary:
    "Active collection and trait offers of the caller's wallets, each with the binding that can cancel it.",
  params: slugParams,
  answer: book,
  statuses: FULL,
  token: true,
  bucket: 'reads',
})

export const previewCollectionOfferTarget = operation({
  id: 'previewCollectionOfferTarget',
  method: 'POST',
  path: '/collection/{slug}/collection-offers/target-preview',
  area: 'Offers',
  summary: 'The number of inscriptions that match a target, and their floor. Changes nothing.',
  params: slugParams,
  body: Type.Object({ target: CollectionOfferTarget }, { title: 'CollectionWideOfferTargetPreviewRequest' }),
  answer: Type.Object(
    {
      target: CollectionOfferTarget,
      eligibleCount: Count,
      floorSats: Nullable(PositiveSats),
      collectionFloorSats: Nullable(PositiveSats),
      ...sample,
    },
    { title: 'CollectionWideOfferTargetPreviewResponse' },
  ),
  statuses: FULL,
  token: true,
  bucket: 'reads',
})

const ladder = {
  target: CollectionOfferTarget,
  priceSats: CollectionWideOfferPriceSats,
  offerCount: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 1 })),
  ladderStepSats: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_100_000_000_000_000,
      default: 0,
      description: 'Price step between offers, descending; a multiple of 5000.',
    }),
  ),
}

export const previewCollectionOfferReplacementWarning = operation({
  id: 'previewCollectionOfferReplacementWarning',
  method: 'POST',
  path: '/collection/{slug}/collection-offers/replacement-warning',
  area: 'Offers',
  summary:
    'Whether the coins for an offer would replace active offers of the same wallet and scope. Changes nothing.',
  params: slugParams,
  body: Type.Object(
    { ...WalletBindingRequest.properties, ...ladder, spendableUtxos: Type.Optional(PreferredUtxos) },
    { title: 'CollectionWideOfferReplacementWarningRequest' },
  ),
  answer: Type.Object(
    {
      replacementWarning: Nullable(
        Type.Object({ activeOfferCount: Type.Integer({ minimum: 1 }) }, { title: 'ReplacementWarning' }),
      ),
    },
    { title: 'CollectionWideOfferReplacementWarningResponse' },
  ),
  statuses: FULL,
  token: true,
  bucket: 'reads',
})

const request = {
  ...ownerRequest,
  paymentPublicKey: WalletPublicKey,
  ...ladder,
  validityHours: Type.Optional(ValidityHours),
  spendableUtxos: Type.Optional(PreferredUtxos),
}
/** Opaque; valid for one preflight. */
const PreflightToken = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[A-Za-z0-9_-]+$',
  examples: ['q0Zx9lQ3mYwq2v4tG7HkS1sx'],
})
const selected = Type.Array(SpendableUtxo, { minItems: 1, maxItems: 50 })
const zeroFee = {
  fundingParentFeeRateSatVb: Type.Integer({ minimum: 0, maximum: 0 }),
  fundingBroadcasted: Type.Boolean({ examples: [false] }),
}
/** Indexes of offers in the same response. */
const sharesCoinsWith = Type.Array(Type.Integer({ minimum: 0, maximum: 9 }), { maxItems: 9 })
const Vout = Type.Integer({ minimum: 0, maximum: 0xffffffff })

export const preflightCollectionWideOffer = operation({
  id: 'preflightCollectionWideOffer',
  method: 'POST',
  path: '/collection/{slug}/collection-offers/preflight',
  area: 'Offers',
  summary:
    'Prepare up to ten offers on any eligible inscription. Returns a funding parent for each, for the maker to sign.',
  description:
    'A funding parent pays no fee and cannot be broadcast alone. It is broadcast with the fill, which pays for both. Offers of a request get separate coins if there are enough. Otherwise they share coins, as alternatives: the first fill ends the offers in sharesCoinsWith (by position). The secret of offerAuthSecretHash binds the sats to the criteria and the eligible set.',
  params: slugParams,
  body: Type.Object(request, { title: 'CollectionWideOfferPreflightRequest' }),
  answer: Type.Object(
    {
      criteriaCanonicalJson: Text,
      offerCriteriaHash: Bytes32Hex,
      eligibleRoot: Bytes32Hex,
      eligibleCount: Type.Integer({ minimum: 1 }),
      buyerReceiveScriptHex: HexString,
      offers: Type.Array(
        Type.Object(
          {
            priceSats: PositiveSats,
            offerAddress: Address,
            offerScriptHex: HexString,
            offerAuthSecretHash: Bytes32Hex,
            selectedPaymentUtxos: selected,
            ...zeroFee,
            expectedFundingParentTxid: Txid,
            fundingParentVout: Vout,
            preflightToken: PreflightToken,
            fundingParentStep: PsbtStep,
            sharesCoinsWith,
          },
          { title: 'FundingEntry' },
        ),
        { minItems: 1, maxItems: 10 },
      ),
    },
    { title: 'CollectionWideOfferPreflightResponse' },
  ),
  statuses: FULL,
  token: true,
  secret: true,
  bucket: 'writes',
})

export const submitCollectionWideOffer = operation({
  id: 'submitCollectionWideOffer',
  method: 'POST',
  path: '/collection/{slug}/collection-offers/submit',
  area: 'Offers',
  summary: 'Publish prepared offers with their signed funding parents. Nothing is broadcast.',
  params: slugParams,
  body: Type.Object(
    {
      ...request,
      offers: Type.Array(
        Type.Object(
          {
            priceSats: PositiveSats,
            selectedPaymentUtxos: selected,
            expectedFundingParentTxid: Txid,
            fundingParentVout: Vout,
            preflightToken: PreflightToken,
            signedFundingParentStep: SignedPsbtStep,
          },
          { title: 'SubmitEntry' },
        ),
        { minItems: 1, maxItems: 10 },
      ),
    },
    { title: 'CollectionWideOfferSubmitRequest' },
  ),
  answer: Type.Object(
    {
      status: Type.Literal('active'),
      offers: Type.Array(
        Type.Object(
          {
            offerId: Uuid,
            status: Type.Literal('active'),
            priceSats: PositiveSats,
            fundingParentTxid: Txid,
            fundingParentVout: Vout,
            ...zeroFee,
            sharesCoinsWith,
          },
          { title: 'SubmittedCollectionOffer' },
        ),
        { minItems: 1, maxItems: 10 },
      ),
    },
    { title: 'CollectionWideOfferSubmitResponse' },
  ),
  statuses: FULL,
  token: true,
  bucket: 'writes',
})

const offerParams = Type.Object({ slug: CollectionSlugInput, offerId: Uuid })

export const cancelCollectionWideOffer = operation({
  id: 'cancelCollectionWideOffer',
  method: 'POST',
  path: '/collection/{slug}/collection-offers/{offerId}/cancel',
  area: 'Offers',
  summary: 'Cancel one of your collection or trait offers.',
  description:
    "After the response, neither of the market's keys signs for the offer. To make the cancellation final, spend one of its coins.",
  params: offerParams,
  body: WalletBindingRequest,
  answer: Type.Object(
    { offerId: Uuid, status: Type.Literal('cancelled') },
    { title: 'CollectionWideOfferCancelResponse' },
  ),
  statuses: FULL,
  token: true,
  bucket: 'writes',
  whileBehind: true,
})

const fillRequest = {
  ...ownerRequest,
  offerId: Uuid,
  inscriptionId: InscriptionId,
}
const offerPrice = Type.Object({ offerId: Uuid, priceSats: PositiveSats }, { title: 'OfferPrice' })
const BelowTopOffer = Type.Object(
  { selectedOffer: offerPrice, topOffer: offerPrice },
  { title: 'BelowTopOffer' },
)
const FillFeeRate = Type.Number({ minimum: 1, examples: [12.5] })

export const preflightCollectionOfferFill = operation({
  id: 'preflightCollectionOfferFill',
  method: 'POST',
  path: '/collection/{slug}/collection-offers/{offerId}/fill/preflight',
  area: 'Offers',
  summary:
    'Prepare the sale of an eligible inscription to an offer. Returns the settlement for the seller to sign.',
  description:
    'The seller pays all fees: the payout is sellerReceiveSats minus estimatedNetworkFeeSats. The postage moves with the inscription. belowTopOfferWarning contains a better offer for this inscription, if any. To accept anyway, repeat it in submit.',
  params: offerParams,
  body: Type.Object(fillRequest, { title: 'CollectionWideOfferFillPreflightRequest' }),
  answer: Type.Object(
    {
      offerId: Uuid,
      inscriptionId: InscriptionId,
      sellerReceiveSats: NonnegativeSats,
      inscriptionUtxoValueSats: PositiveSats,
      marketplaceFeeSats: NonnegativeSats,
      creatorRoyaltySats: NonnegativeSats,
      targetFeeRateSatVb: FillFeeRate,
      estimatedNetworkFeeSats: NonnegativeSats,
      belowTopOfferWarning: Nullable(BelowTopOffer),
      expectedSettlementTxid: Txid,
      admissionAnchorUtxoId: Uuid,
      sellerStep: PsbtStep,
      ...carries,
    },
    { title: 'CollectionWideOfferFillPreflightResponse' },
  ),
  statuses: FULL,
  token: true,
  bucket: 'writes',
})

export const submitCollectionOfferFill = operation({
  id: 'submitCollectionOfferFill',
  method: 'POST',
  path: '/collection/{slug}/collection-offers/{offerId}/fill/submit',
  area: 'Offers',
  summary: 'Fill an offer. The market broadcasts funding parent and settlement together.',
  params: offerParams,
  body: Type.Object(
    {
      ...fillRequest,
      belowTopOfferConfirmation: Type.Optional(BelowTopOffer),
      targetFeeRateSatVb: FillFeeRate,
      expectedSettlementTxid: Txid,
      admissionAnchorUtxoId: Uuid,
      signedSellerStep: SignedPsbtStep,
    },
    { title: 'CollectionWideOfferFillSubmitRequest' },
  ),
  answer: Type.Object(
    {
      offerId: Uuid,
      fillAttemptId: Uuid,
      status: Type.Unsafe<'broadcast' | 'accepted'>({ type: 'string', enum: ['broadcast', 'accepted'] }),
      settlementTxid: Txid,
    },
    { title: 'CollectionWideOfferFillSubmitResponse' },
  ),
  statuses: FULL,
  token: true,
  bucket: 'writes',
})
