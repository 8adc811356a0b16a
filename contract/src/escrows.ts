import { Type } from 'typebox'
import { NonnegativeSats, PositiveSats } from './amounts.ts'
import { batchOf } from './batch-of.ts'
import { EscrowForm, ListingState, Nullable, OneOf } from './choices.ts'
import { DurationDays } from './durations.ts'
import { FeeRate } from './offers.ts'
import { operation, STD } from './operation.ts'
import { pageOf, pageQuery } from './paging.ts'
import { DateTime, Generation, InscriptionId, Txid, Uuid } from './scalars.ts'
import { ownerRequest, PsbtStep, payerRequest, SelectedUtxos, SignedPsbtStep } from './signing.ts'

/** Operations of owners on inscriptions in escrow: additive. */
const outpoint = { txid: Txid, vout: Type.Integer({ minimum: 0, maximum: 0xffffffff }) }
const Escrow = Type.Object(
  {
    ...outpoint,
    escrowForm: EscrowForm,
    valueSats: PositiveSats,
    inscriptionIds: Type.Array(InscriptionId, {
      minItems: 1,
      description:
        'The inscriptions in the coin; first the one that was listed and that a listing from escrow names.',
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
          description: 'The unconfirmed transaction that takes the coin out of escrow.',
        },
      ),
    ),
    actions: Type.Array(OneOf('relist', 'move', 'reclaim', 'exit'), {
      description:
        'The actions that its owner can take now. `exit` needs no market: by the signature of the wallet in the wallet form, by the private key in the published form.',
    }),
  },
  { title: 'Escrow' },
)

export const listMyEscrows = operation({
  id: 'listMyEscrows',
  method: 'GET',
  path: '/escrows',
  area: 'Escrows',
  summary: "The session's inscriptions in escrow, with the possible actions.",
  query: Type.Object(pageQuery(50)),
  answer: pageOf('EscrowsResponse', { escrows: Type.Array(Escrow) }),
  statuses: [400, 401, 403, 429, 503],
  token: true,
  additive: true,
  bucket: 'reads',
})

const Outpoints = batchOf(Type.Object(outpoint))
/** A submit repeats its preflight and brings the signed steps. */
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
  summary: 'Prepare a listing straight from escrow, or another price for one: a leg for each item.',
  description:
    'Needs no transfer and no market coin: one step per item, in order. Collection, fees and duration as for a listing. After the submit the market signs no earlier leg.',
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
  summary: 'Prepare to take inscriptions back out of escrow: one transaction, whose fee the market pays.',
  description:
    'Any of the wallet’s escrows go together. Refused while a settlement of one of them is not in a block.',
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
  summary: 'Take inscriptions back: ends their listings, and sends the prepared transaction.',
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
  summary: 'Prepare to end old prices on the chain: new escrow coins, at the owner’s cost.',
  description:
    'Once the move confirms, all earlier legs are invalid, even with a stolen market key. The new coins can be listed from that block on. escrowForm is the form of the new coins.',
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
  summary: 'Move escrow coins: ends their listings, and sends the prepared transaction.',
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
