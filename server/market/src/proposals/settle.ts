import { randomUUID } from 'node:crypto'
import { changeOf, keySigned } from '@ordbook/bitcoin/trade/layout.ts'
import { buildSwap, checkSwap, type SwapTerms, swapInputsOf } from '@ordbook/bitcoin/trade/swap.ts'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import type * as operations from '@ordbook/contract/acceptances.ts'
import type { BodyOf } from '@ordbook/contract/operation.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { conflict, forbidden } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { getOwnBinding } from '../auth/me.ts'
import type { Context } from '../context.ts'
import { lockListing } from '../listings/lock.ts'
import { sellerOf } from '../listings/owner.ts'
import { describeOtherContents } from '../preflight/other-contents.ts'
import { toFault } from '../preflight/refuse.ts'
import { describeSteps, parentsOf, signaturesOf } from '../preflight/steps.ts'
import { broadcastSettlement } from '../settlements/broadcast.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { assertConfirmedCoins } from '../settlements/payment-coins.ts'
import { claimCoins, insertSettlement } from '../settlements/queries.ts'
import { rejectRevoked } from '../settlements/revocations.ts'
import type { UseCase } from '../use-case.ts'
import { stepOf } from './accept.ts'
import { type AcceptanceRow, findAcceptance, setAcceptanceSettlement } from './acceptance-queries.ts'
import { describeSwap, getAcceptanceOf, getVisible, heldIn } from './acceptances.ts'
import { moveAcceptance } from './lifecycle.ts'
import { takeProposal } from './own-queries.ts'
import { swapKind } from './settlement-kind.ts'

/**
 * Settlements of acceptances. The proposer signs the swap, and the server broadcasts it. No preflight is stored: preflight and submit both
 * rebuild the swap.
 */
type Request = BodyOf<typeof operations.preflightSettlement>

export const preflightSettlement: UseCase<typeof operations.preflightSettlement> = async (context, call) => {
  const { session, params, body: input } = call
  const { acceptanceId } = params
  const { row, terms, swap, step } = await prepare(context, session, acceptanceId, input)
  assertOpen(context, row)
  await assertConfirmedCoins(
    context,
    swap.settlement.inputs.map(({ coin }) => coin),
  )
  const parents = await parentsOf(context, [swap.settlement])
  return {
    ...describeSwap({ terms, items: [...row.items] }, swap),
    steps: describeSteps(context, [step], parents),
    ...(await describeOtherContents(context, row.items.map(heldIn))),
  }
}

export const submitSettlement: UseCase<typeof operations.submitSettlement, SettlingContext> = async (
  context,
  call,
) => {
  const { session, params, body: input } = call
  const { acceptanceId } = params
  const prepared = await prepare(context, session, acceptanceId, input)
  const { row, step } = prepared
  if (input.expectedSettlementTxid !== row.settlementTxid)
    throw conflict(
      'settlement-mismatched',
      'expectedSettlementTxid differs from the swap of this acceptance. Request a new preflight.',
    )
  const [signatures] = await signaturesOf(input.signedSteps, [step])
  const settlementId =
    row.state === 'accepting' || row.state === 'accepted'
      ? row.settlementId!
      : await storeSwap(context, prepared, signatures!)
  await broadcastSettlement(context, settlementId)
  return getAcceptanceOf(context, session, acceptanceId)
}

type Prepared = Awaited<ReturnType<typeof prepare>>

async function prepare(context: Context, session: Session, acceptanceId: string, input: Request) {
  const { row, side, proposal } = await getVisible(context, session, acceptanceId)
  if (side !== 'proposer') throw forbidden('order-not-yours', 'Only the creator of a proposal can settle it.')
  const binding = await getOwnBinding(context, session, input.walletBindingId)
  if (binding.walletBindingId !== proposal.creatorBindingId)
    throw forbidden('order-not-yours', 'This proposal belongs to another wallet of yours.')
  const storedTerms = unpack<SwapTerms>(row.terms)
  const ordinals = sellerOf(binding, input.ordinalsPublicKey)
  const terms: SwapTerms = { ...storedTerms, proposer: { ...storedTerms.proposer, ordinals } }
  const swap = buildSwap(terms)
  return { row, binding, terms, swap, step: stepOf('proposer', terms, swap, input) }
}

/** Repeats the checks, takes locks and stores the swap before it is broadcast. */
async function storeSwap(
  context: Context,
  { row, binding, terms, swap }: Prepared,
  signatures: readonly Uint8Array[],
): Promise<string> {
  const { sql, clock } = context
  const { acceptanceId, proposalId, settlementTxid } = row
  const { settlement, feeSats } = swap
  assertOpen(context, row)
  await rejectRevoked(context, [acceptanceId, proposalId])
  toFault(() => checkSwap(terms, swap), 'signedSteps')
  const coins = settlement.inputs.map(({ coin }) => coin)
  await assertConfirmedCoins(context, coins)
  const bySide = {
    proposer: signatures.values(),
    acceptor: unpack<Uint8Array[]>(row.signatures).values(),
  }
  const acceptorInputs = new Set(swapInputsOf(settlement, 'acceptor'))
  const signed = keySigned(
    settlement,
    settlement.inputs.map((_, n) => bySide[acceptorInputs.has(n) ? 'acceptor' : 'proposer'].next().value!),
  )
  const inscriptionIds = row.items.map((item) => item.inscriptionId)
  const settlementId = randomUUID()
  return inTransaction(sql, async (tx) => {
    const why = { reason: `swapped in ${settlementTxid}`, now: clock() }
    if (!(await moveAcceptance(tx, acceptanceId, 'accepting', why))) {
      const current = await findAcceptance(tx, acceptanceId)
      if (current?.state === 'accepting' || current?.state === 'accepted') return current.settlementId!
      throw conflict('offer-not-active', 'This acceptance is no longer active.')
    }
    for (const id of inscriptionIds.toSorted()) await lockListing(tx, id, why)
    if (!(await claimCoins(tx, settlementId, coins)))
      throw conflict('coin-spent', 'Another trade is spending a coin of this swap.')
    const hex = hexOfTransaction(signed)
    await insertSettlement(tx, {
      settlementId,
      kind: swapKind.name,
      settlementTxid,
      inscriptionIds,
      causedBy: binding.walletBindingId,
      refundSats: 0,
      change: changeOf(settlement),
      transactions: [{ txid: settlementTxid, hex, feeSats }],
    })
    await setAcceptanceSettlement(tx, acceptanceId, settlementId)
    if (!(await takeProposal(tx, proposalId, settlementId, why.now)))
      throw conflict('offer-not-active', 'This proposal is no longer active.')
    return settlementId
  })
}

function assertOpen({ clock }: Context, { state, reason, expiresAt }: AcceptanceRow): void {
  if (state === 'active' && expiresAt > clock()) return
  const status = state === 'active' ? 'expired' : state === 'accepting' ? 'being settled' : state
  throw conflict('offer-not-active', `This acceptance is ${status}${reason ? ` (${reason})` : ''}.`)
}
