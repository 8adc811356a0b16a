import { Type } from 'typebox'
import { NonnegativeSats, PositiveSats } from './amounts.ts'
import { carries } from './carried.ts'
import { Nullable, OneOf } from './choices.ts'
import { FULL, operation, operationsWith } from './operation.ts'
import { pageOf, pageQuery } from './paging.ts'
import { MAX_WANTED, OwnProposal } from './proposals.ts'
import { Address, DateTime, InscriptionId, Text, Txid, Uuid, WalletPublicKey } from './scalars.ts'
import {
  ownerRequest,
  PsbtStep,
  SelectedUtxos,
  SignedPsbtStep,
  SpendableUtxo,
  SpendableUtxos,
} from './signing.ts'

/**
 * Acceptance and settlement of proposals. The acceptor fills each leg and signs the swap; the proposer signs last. Neither side sees the
 * other's signatures.
 */
const SignedSats = Type.Integer({ examples: [-50_000] })

export const Fills = Type.Array(Type.Object({ legId: Uuid, inscriptionId: InscriptionId }), {
  maxItems: MAX_WANTED,
  description: 'The inscriptions that fill the wanted legs, in the quantity of each leg.',
})

/** An inscription in a swap, with its owner and coin. */
export const SwapItem = Type.Object(
  {
    inscriptionId: InscriptionId,
    from: OneOf('proposer', 'acceptor'),
    txid: Txid,
    vout: Type.Integer({ minimum: 0 }),
    valueSats: PositiveSats,
  },
  { title: 'SwapItem' },
)

/** Terms visible to both sides. */
const terms = {
  expectedSettlementTxid: Txid,
  items: Type.Array(SwapItem, { minItems: 1, maxItems: 100 }),
  marketplaceFeeSats: NonnegativeSats,
  networkFeeSats: PositiveSats,
  targetFeeRateSatVb: Type.Number({ exclusiveMinimum: 0 }),
  acceptorNetSats: SignedSats,
  proposerNetSats: SignedSats,
}

export const Acceptance = Type.Object(
  {
    acceptanceId: Uuid,
    state: OneOf('active', 'accepted', 'settled', 'rejected', 'cancelled', 'expired', 'invalidated'),
    reason: Nullable(Text),
    acceptorAddress: Address,
    fills: Fills,
    ...terms,
    createdAt: DateTime,
    expiresAt: DateTime,
    proposal: OwnProposal,
  },
  { title: 'Acceptance' },
)

const AcceptRequest = {
  ...ownerRequest,
  paymentPublicKey: Type.Optional(WalletPublicKey),
  fills: Fills,
  spendableUtxos: Type.Optional(SpendableUtxos),
}

export const preflightAcceptance = operation({
  id: 'preflightAcceptance',
  method: 'POST',
  path: '/proposals/{proposalId}/acceptances/preflight',
  area: 'P2P proposals',
  summary: 'Prepare the acceptance of a proposal: returns the swap for the acceptor to sign.',
  description:
    "The acceptor pays the network fee and the market's fee, also from sats that the proposer offers. spendableUtxos are coins of the payment address.",
  params: Type.Object({ proposalId: Uuid }),
  body: Type.Object(AcceptRequest, { title: 'AcceptancePreflightRequest' }),
  answer: Type.Object(
    {
      ...terms,
      selectedPaymentUtxos: Type.Array(SpendableUtxo),
      steps: Type.Array(PsbtStep, { minItems: 1, maxItems: 1 }),
      ...carries,
    },
    { title: 'AcceptancePreflightResponse' },
  ),
  statuses: FULL,
  token: true,
  bucket: 'writes',
})

export const submitAcceptance = operation({
  id: 'submitAcceptance',
  method: 'POST',
  path: '/proposals/{proposalId}/acceptances',
  area: 'P2P proposals',
  summary: 'Accept a proposal. It settles once the proposer signs too.',
  params: Type.Object({ proposalId: Uuid }),
  body: Type.Object(
    {
      ...AcceptRequest,
      expectedSettlementTxid: Txid,
      selectedPaymentUtxos: Type.Union([SelectedUtxos, Type.Array(SpendableUtxo, { maxItems: 0 })]),
      signedSteps: Type.Array(SignedPsbtStep, { minItems: 1, maxItems: 1 }),
    },
    { title: 'AcceptanceSubmitRequest' },
  ),
  answer: Acceptance,
  statuses: FULL,
  token: true,
  bucket: 'writes',
})

export const listAcceptances = operation({
  id: 'listAcceptances',
  method: 'GET',
  path: '/acceptances',
  area: 'P2P proposals',
  summary: 'Acceptances that the session received on its proposals or sent, newest first.',
  query: Type.Object({
    ...pageQuery(50),
    view: Type.Optional(OneOf('received', 'sent')),
    proposalId: Type.Optional(Uuid),
  }),
  answer: pageOf('AcceptancesResponse', { acceptances: Type.Array(Acceptance) }),
  statuses: [400, 401, 403, 429, 500],
  token: true,
  bucket: 'web-reads',
})

const ofAcceptance = operationsWith({
  area: 'P2P proposals',
  params: Type.Object({ acceptanceId: Uuid }),
  statuses: FULL,
  token: true,
  bucket: 'writes',
})

export const cancelAcceptance = ofAcceptance('cancelAcceptance', 'POST /acceptances/{acceptanceId}/cancel', {
  summary: 'Cancel an acceptance, as its acceptor.',
  answer: Acceptance,
  whileBehind: true,
})

export const rejectAcceptance = ofAcceptance('rejectAcceptance', 'POST /acceptances/{acceptanceId}/reject', {
  summary: 'Decline an acceptance, as the proposer. The proposal stays active.',
  answer: Acceptance,
  whileBehind: true,
})

export const preflightSettlement = ofAcceptance(
  'preflightSettlement',
  'POST /acceptances/{acceptanceId}/settle/preflight',
  {
    summary: 'Prepare the settlement: returns the swap for the proposer to sign.',
    body: Type.Object(ownerRequest, { title: 'SettlePreflightRequest' }),
    answer: Type.Object(
      { ...terms, steps: Type.Array(PsbtStep, { minItems: 1, maxItems: 1 }), ...carries },
      { title: 'SettlePreflightResponse' },
    ),
  },
)

export const submitSettlement = ofAcceptance('submitSettlement', 'POST /acceptances/{acceptanceId}/settle', {
  summary: 'Settle a swap. Both signatures complete it, and the market broadcasts it immediately.',
  body: Type.Object(
    {
      ...ownerRequest,
      expectedSettlementTxid: Txid,
      signedSteps: Type.Array(SignedPsbtStep, { minItems: 1, maxItems: 1 }),
    },
    { title: 'SettleSubmitRequest' },
  ),
  answer: Acceptance,
})
