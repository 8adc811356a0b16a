import { Type } from 'typebox'
import { Bps, NonnegativeSats, PositiveSats } from './amounts.ts'
import { batchOf } from './batch-of.ts'
import { carries } from './carried.ts'
import { Nullable } from './choices.ts'
import { slugParams } from './collections.ts'
import { operation, STD } from './operation.ts'
import { InscriptionId, Text, Txid, Uuid } from './scalars.ts'
import { PsbtStep, payerRequest, SelectedUtxos, SignedPsbtStep } from './signing.ts'

export const PurchaseListing = Type.Object(
  { listingId: Uuid, inscriptionId: InscriptionId },
  { title: 'PurchaseListing' },
)

const request = {
  ...payerRequest,
  listings: batchOf(PurchaseListing),
  roundUpDonation: Type.Optional(Type.Boolean({ default: false })),
}

export const PurchaseEconomicsItem = Type.Object(
  {
    ...PurchaseListing.properties,
    priceSats: PositiveSats,
    inscriptionUtxoValueSats: PositiveSats,
    listingFeeSats: NonnegativeSats,
    buyerFeeBps: Bps,
    buyerFeeSats: NonnegativeSats,
    sellerCreatorRoyaltySats: NonnegativeSats,
    buyerCreatorRoyaltySats: NonnegativeSats,
    sellerReceiveSats: NonnegativeSats,
    buyerPayTotalSats: PositiveSats,
    marketplaceRevenueSats: NonnegativeSats,
    creatorRevenueSats: NonnegativeSats,
  },
  { title: 'PurchaseEconomicsItem' },
)

const transferTxids = batchOf(Txid)

export const preflightPurchase = operation({
  id: 'preflightPurchase',
  method: 'POST',
  path: '/collection/{slug}/purchases/preflight',
  area: 'Buying',
  summary:
    'Prepare a purchase. Returns the total cost, the selected coins, and the PSBT for the buyer to sign.',
  description:
    'totalBuyerCostSats is the exact total that leaves the coins: the sum of buyerPayTotalSats and inscriptionUtxoValueSats, plus estimatedNetworkFeeSats, cpfpFeeSats, listingTransferFeeSats and donationSats.',
  params: slugParams,
  body: Type.Object(request, { title: 'PurchasePreflightRequest' }),
  answer: Type.Object(
    {
      listings: batchOf(PurchaseEconomicsItem),
      selectedPaymentUtxos: SelectedUtxos,
      targetFeeRateSatVb: Type.Number({ exclusiveMinimum: 0, examples: [12.5] }),
      estimatedPackageVsize: Type.Integer({ minimum: 1 }),
      estimatedNetworkFeeSats: NonnegativeSats,
      cpfpFeeSats: NonnegativeSats,
      listingTransferFeeSats: NonnegativeSats,
      totalBuyerCostSats: PositiveSats,
      donationInitiative: Nullable(
        Type.Object(
          { name: Text, url: Type.String({ format: 'uri', examples: ['https://example.org'] }) },
          { title: 'DonationInitiative' },
        ),
      ),
      donationSats: NonnegativeSats,
      purchaseAnchorUtxoId: Uuid,
      steps: Type.Array(PsbtStep, { minItems: 1, maxItems: 1 }),
      expectedSettlementTxid: Txid,
      expectedListingTransferTxids: transferTxids,
      ...carries,
    },
    { title: 'PurchasePreflightResponse' },
  ),
  statuses: STD,
  token: true,
  bucket: 'writes',
})

export const submitPurchase = operation({
  id: 'submitPurchase',
  method: 'POST',
  path: '/collection/{slug}/purchases/submit',
  area: 'Buying',
  summary: 'Settle a prepared purchase. The market co-signs and broadcasts transfers and settlement.',
  params: slugParams,
  body: Type.Object(
    {
      ...request,
      purchaseAnchorUtxoId: Uuid,
      selectedPaymentUtxos: SelectedUtxos,
      signedSteps: Type.Array(SignedPsbtStep, { minItems: 1, maxItems: 1 }),
    },
    { title: 'PurchaseSubmitRequest' },
  ),
  answer: Type.Object(
    {
      settlementTxid: Txid,
      listingTransferTxids: transferTxids,
      pendingSaleIds: batchOf(Uuid),
      listings: batchOf(PurchaseListing),
    },
    { title: 'PurchaseSubmitResponse' },
  ),
  statuses: STD,
  token: true,
  bucket: 'writes',
})
