import { Type } from 'typebox'
import { NonnegativeSats, OfferPriceSats } from './amounts.ts'
import { carries } from './carried.ts'
import { EscrowForm } from './choices.ts'
import { ValidityHours } from './duration-schemas.ts'
import { action, economics, FeeRate, OfferAcceptSubmitResponse, offerParams } from './offers.ts'
import { operation, STD } from './operation.ts'
import { Generation, Txid, Uuid } from './scalars.ts'
import { ownerRequest, PsbtStep, payerRequest, SelectedUtxos, SignedPsbtStep } from './signing.ts'

export const rejectCounterOffer = action(
  'rejectCounterOffer',
  '/inscriptions/{id}/offers/{offerId}/counter/reject',
  "Decline a received counter; offerId is the counter's id.",
  'The countered offer stays active.',
)

const counterRequest = {
  ...ownerRequest,
  escrowForm: Type.Optional(EscrowForm),
  priceSats: OfferPriceSats,
  validityHours: Type.Optional(ValidityHours),
}

export const preflightCounterOffer = operation({
  id: 'preflightCounterOffer',
  method: 'POST',
  path: '/inscriptions/{id}/offers/{offerId}/counter/preflight',
  area: 'Offers',
  summary: "Prepare a counter: the seller's price for an offer, visible only to its buyer.",
  description:
    "Returns three steps, as for a listing: the transfer into escrow, the settlement with all its payments, and the recovery. expectedSettlementTxid is the settlement's txid before the buyer adds the funding input.",
  params: offerParams,
  body: Type.Object(counterRequest, { title: 'CounterPreflightRequest' }),
  answer: Type.Object(
    {
      ...economics,
      anchorUtxoId: Uuid,
      generation: Type.Optional(Generation),
      targetFeeRateSatVb: FeeRate,
      estimatedNetworkFeeSats: NonnegativeSats,
      expectedTransferTxid: Txid,
      expectedSettlementTxid: Txid,
      steps: Type.Array(PsbtStep, { minItems: 3, maxItems: 3 }),
      ...carries,
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
      signedSteps: Type.Array(SignedPsbtStep, { minItems: 3, maxItems: 3 }),
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

export const preflightCounterOfferAcceptance = operation({
  id: 'preflightCounterOfferAcceptance',
  method: 'POST',
  path: '/inscriptions/{id}/offers/{offerId}/counter/accept/preflight',
  area: 'Offers',
  summary:
    "Prepare the acceptance of a counter. Returns the funding and the settlement; offerId is the counter's id.",
  params: offerParams,
  body: Type.Object(payerRequest, { title: 'CounterAcceptPreflightRequest' }),
  answer: Type.Object(
    {
      offerId: Uuid,
      selectedPaymentUtxos: SelectedUtxos,
      targetFeeRateSatVb: FeeRate,
      estimatedNetworkFeeSats: NonnegativeSats,
      expectedFundingTxid: Txid,
      expectedSettlementTxid: Txid,
      steps: Type.Array(PsbtStep, { minItems: 2, maxItems: 2 }),
      ...carries,
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
  summary: 'Accept a counter. The market broadcasts transfer, funding and settlement together.',
  params: offerParams,
  body: Type.Object(
    {
      ...payerRequest,
      selectedPaymentUtxos: SelectedUtxos,
      expectedFundingTxid: Txid,
      expectedSettlementTxid: Txid,
      signedSteps: Type.Array(SignedPsbtStep, { minItems: 2, maxItems: 2 }),
    },
    { title: 'CounterAcceptSubmitRequest' },
  ),
  answer: OfferAcceptSubmitResponse,
  statuses: STD,
  token: true,
  bucket: 'writes',
})
