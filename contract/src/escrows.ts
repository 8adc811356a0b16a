import { Type } from 'typebox'
import { NonnegativeSats, PositiveSats } from './amounts.ts'
import { batchOf } from './batch-of.ts'
import { EscrowForm, ListingState, Nullable, OneOf } from './choices.ts'
import { DurationDays } from './duration-schemas.ts'
import { FeeRate } from './offers.ts'
import { operation, STD } from './operation.ts'
import { pageOf, pageQuery } from './paging.ts'
import { DateTime, Generation, InscriptionId, Txid, Uuid } from './scalars.ts'
import { ownerRequest, PsbtStep, payerRequest, SelectedUtxos, SignedPsbtStep } from './signing.ts'

/** Operations on inscriptions in escrow. Not part of the published interface. */
const outpoint = { txid: Txid, vout: Type.Integer({ minimum: 0, maximum: 0xffffffff }) }
const Escrow = Type.Object(
  {
    ...outpoint,
    escrowForm: EscrowForm,
    valueSats: PositiveSats,
    inscriptionIds: Type.Array(InscriptionId, {
      minItems: 1,
      description: 'The inscriptions in the coin. The first was listed; a listing from escrow refers to it.',
    }),
    state: OneOf('unconfirmed', 'resting', 'leaving'),
    since: DateTime,
    listing: Nullable(
      Type.Object(
        { listingId: Uuid, priceSats: PositiveSats, generation: Generation, state: ListingState },
        { title: 'EscrowListing' },
      ),
    ),
    pending: Nullable(
      Type.Object(
        {
          kind: OneOf('settlement', 'reclaim', 'move', 'recovery', 'exit'),
          txid: Txid,
        },
        {
          title: 'EscrowPending',
          description: 'The unconfirmed transaction that spends the escrow coin.',
        },
      ),
    ),
    actions: Type.Array(OneOf('relist', 'move', 'reclaim', 'exit'), {
      description:
        'Actions that are currently available to the owner. `exit` does not need the market: it requires a wallet signature in the wallet form, and the private key in the published form.',
    }),
  },
  { title: 'Escrow' },
)

export const listMyEscrows = operation({
  id: 'listMyEscrows',
  method: 'GET',
  path: '/escrows',
  area: 'Escrows',
  summary: "The session's inscriptions in escrow, with available actions.",
  query: Type.Object(pageQuery(50)),
  answer: pageOf('EscrowsResponse', { escrows: Type.Array(Escrow) }),
  statuses: [400, 401, 403, 429, 503],
  token: true,
  additive: true,
  bucket: 'reads',
})

const Outpoints = batchOf(Type.Object(outpoint))
/** Submitting repeats the fields of the preflight and adds the signed steps. */
const signedSteps = (count: { minItems: number; maxItems: number }) => ({
  signedSteps: Type.Array(SignedPsbtStep, count),
})

const relist = {
  ...ownerRequest,
  items: batchOf(Type.Object({ ...outpoint, priceSats: PositiveSats })),
}
export const preflightRelist = operation({
  id: 'preflightRelist',
  method: 'POST',
  path: '/escrows/relist/preflight',
  area: 'Escrows',
  summary: 'Prepare a listing from escrow, or a new price for one. Returns a leg for each item.',
  description:
    'Requires no transfer and no market coin: one step per item, in order. Collection, fees and duration are as for a listing. After the submit, the market does not sign earlier legs.',
  body: Type.Object(relist, { title: 'RelistPreflightRequest' }),
  answer: Type.Object(
    {
      relistId: Uuid,
      items: batchOf(
        Type.Object({
          ...outpoint,
          inscriptionId: InscriptionId,
          escrowForm: EscrowForm,
          generation: Generation,
        }),
      ),
      steps: batchOf(PsbtStep),
    },
    { title: 'RelistPreflightResponse' },
  ),
  statuses: STD,
  token: true,
  additive: true,
  bucket: 'writes',
})

export const submitRelist = operation({
  id: 'submitRelist',
  method: 'POST',
  path: '/escrows/relist/submit',
  area: 'Escrows',
  summary: 'Publish a prepared listing from escrow with its signed legs.',
  body: Type.Object(
    {
      ...relist,
      relistId: Uuid,
      durationDays: Type.Optional(DurationDays),
      ...signedSteps({ minItems: 1, maxItems: 20 }),
    },
    { title: 'RelistSubmitRequest' },
  ),
  answer: Type.Object(
    {
      listings: batchOf(Type.Object({ inscriptionId: InscriptionId, listingId: Uuid })),
    },
    { title: 'RelistSubmitResponse' },
  ),
  statuses: STD,
  token: true,
  additive: true,
  bucket: 'writes',
})

const reclaim = { ...ownerRequest, escrows: Outpoints }
export const preflightReclaim = operation({
  id: 'preflightReclaim',
  method: 'POST',
  path: '/escrows/reclaim/preflight',
  area: 'Escrows',
  summary: 'Prepare the withdrawal of inscriptions from escrow in one transaction. The market pays its fee.',
  description:
    "Accepts any of the wallet's escrows. Returns 409 while a settlement of one of them is unconfirmed.",
  body: Type.Object(reclaim, { title: 'ReclaimPreflightRequest' }),
  answer: Type.Object(
    {
      reclaimId: Uuid,
      expectedTxid: Txid,
      feeSats: NonnegativeSats,
      steps: Type.Array(PsbtStep, { minItems: 1, maxItems: 1 }),
    },
    { title: 'ReclaimPreflightResponse' },
  ),
  statuses: STD,
  token: true,
  additive: true,
  bucket: 'writes',
  whileBehind: true,
})

export const submitReclaim = operation({
  id: 'submitReclaim',
  method: 'POST',
  path: '/escrows/reclaim/submit',
  area: 'Escrows',
  summary: 'Withdraw inscriptions from escrow. Ends their listings and broadcasts the prepared transaction.',
  body: Type.Object(
    { ...reclaim, reclaimId: Uuid, ...signedSteps({ minItems: 1, maxItems: 1 }) },
    { title: 'ReclaimSubmitRequest' },
  ),
  answer: Type.Object({ txid: Txid }, { title: 'ReclaimSubmitResponse' }),
  statuses: STD,
  token: true,
  additive: true,
  bucket: 'writes',
  whileBehind: true,
})

const move = {
  ...ownerRequest,
  ...payerRequest,
  escrows: Outpoints,
  escrowForm: Type.Optional(EscrowForm),
}
export const preflightMove = operation({
  id: 'preflightMove',
  method: 'POST',
  path: '/escrows/move/preflight',
  area: 'Escrows',
  summary:
    'Prepare a move to new escrow coins, which invalidates old prices on chain. The owner pays the fee.',
  description:
    'Once the move confirms, all earlier legs are invalid, even if the market key is stolen, and the new coins can be listed. escrowForm is the form of the new coins.',
  body: Type.Object(move, { title: 'MovePreflightRequest' }),
  answer: Type.Object(
    {
      moveId: Uuid,
      expectedTxid: Txid,
      feeRateSatVb: FeeRate,
      costSats: NonnegativeSats,
      selectedPaymentUtxos: SelectedUtxos,
      steps: Type.Array(PsbtStep, { minItems: 1, maxItems: 1 }),
    },
    { title: 'MovePreflightResponse' },
  ),
  statuses: STD,
  token: true,
  additive: true,
  bucket: 'writes',
})

export const submitMove = operation({
  id: 'submitMove',
  method: 'POST',
  path: '/escrows/move/submit',
  area: 'Escrows',
  summary: 'Move escrow coins. Ends their listings and broadcasts the prepared transaction.',
  body: Type.Object(
    {
      ...move,
      moveId: Uuid,
      selectedPaymentUtxos: SelectedUtxos,
      ...signedSteps({ minItems: 1, maxItems: 1 }),
    },
    { title: 'MoveSubmitRequest' },
  ),
  answer: Type.Object(
    { txid: Txid, escrows: batchOf(Type.Object(outpoint)) },
    { title: 'MoveSubmitResponse' },
  ),
  statuses: STD,
  token: true,
  additive: true,
  bucket: 'writes',
})
