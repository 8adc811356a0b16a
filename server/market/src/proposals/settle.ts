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
import { describeCarries } from '../preflight/other-contents.ts'
import { toFault } from '../preflight/refuse.ts'
import { describeSteps, parentsOf, signaturesOf } from '../preflight/steps.ts'
import { broadcastSettlement } from '../settlements/broadcast.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { assertConfirmedCoins } from '../settlements/payment-coins.ts'
import { claimCoins, insertSettlement } from '../settlements/queries.ts'
import { refuseRevoked } from '../settlements/revocations.ts'
import type { UseCase } from '../use-case.ts'
import { stepOf } from './accept.ts'
import { type AcceptanceRow, findAcceptance, setAcceptanceSettlement } from './acceptance-queries.ts'
import { describeSwap, getAcceptanceOf, getVisible, heldIn } from './acceptances.ts'
import { moveAcceptance } from './lifecycle.ts'
import { takeProposal } from './own-queries.ts'
import { swapKind } from './settlement-kind.ts'

/**
 * The proposer signs the swap that an acceptor signed, and the server sends it immediately. Nothing is stored between preflight and submit:
 * both build the swap from the acceptance.
 */
type Request = BodyOf<typeof operations.preflightSettlement>

export const preflightSettlement: UseCase<typeof operations.preflightSettlement> = async (context, call) => {
  const { session, params, body: input } = call
  const { acceptanceId } = params
  const { row, terms, swap, step } = await prepare(context, session, acceptanceId, input)
  assertOpen(context, row)
  await assertConfirmedCoins(
    context,
    swap.settlement.inputs.map((each) => each.coin),
  )
  const parents = await parentsOf(context, [swap.settlement])
  return {
    ...describeSwap({ terms, items: [...row.items] }, swap),
    steps: describeSteps(context, [step], parents),
    ...(await describeCarries(context, row.items.map(heldIn))),
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
      'expectedSettlementTxid is not the swap of this acceptance: prepare it again',
    )
  const [signatures] = await signaturesOf(input.signedSteps, [step])
  const settlementId =
    row.state === 'accepting' || row.state === 'accepted'
      ? row.settlementId!
      : await writeDown(context, prepared, signatures!)
  await broadcastSettlement(context, settlementId)
  return getAcceptanceOf(context, session, acceptanceId)
}

type Prepared = Awaited<ReturnType<typeof prepare>>

async function prepare(context: Context, session: Session, acceptanceId: string, input: Request) {
  const { row, side, proposal } = await getVisible(context, session, acceptanceId)
  if (side !== 'proposer')
    throw forbidden('order-not-yours', 'Only the creator of the proposal can settle it')
  const binding = await getOwnBinding(context, session, input.walletBindingId)
  if (binding.walletBindingId !== proposal.creatorBindingId)
    throw forbidden('order-not-yours', 'This proposal belongs to the wallet of another binding')
  const kept = unpack<SwapTerms>(row.terms)
  const ordinals = sellerOf(binding, input.ordinalsPublicKey)
  const terms: SwapTerms = { ...kept, proposer: { ...kept.proposer, ordinals } }
  const swap = buildSwap(terms)
  return { row, binding, terms, swap, step: stepOf('proposer', terms, swap, input) }
}

/** Checks everything again, locks proposal and listings, and stores the swap: the intent to send it. */
async function writeDown(
  context: Context,
  { row, binding, terms, swap }: Prepared,
  signatures: readonly Uint8Array[],
): Promise<string> {
  const { sql, clock } = context
  const { acceptanceId, proposalId, settlementTxid } = row
  const { settlement, feeSats } = swap
  assertOpen(context, row)
  await refuseRevoked(context, [acceptanceId, proposalId])
  toFault(() => checkSwap(terms, swap), 'signedSteps')
  const coins = settlement.inputs.map((each) => each.coin)
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
    const why = { reason: `a swap of it is settled in ${settlementTxid}`, now: clock() }
    if (!(await moveAcceptance(tx, acceptanceId, 'accepting', why))) {
      const now = await findAcceptance(tx, acceptanceId)
      if (now?.state === 'accepting' || now?.state === 'accepted') return now.settlementId!
      throw conflict('offer-not-active', 'This acceptance is no longer active')
    }
    for (const id of inscriptionIds.toSorted()) await lockListing(tx, id, why)
    if (!(await claimCoins(tx, settlementId, coins)))
      throw conflict('coin-spent', 'A coin of this swap is being spent by another trade')
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
      throw conflict('offer-not-active', 'This proposal is no longer active')
    return settlementId
  })
}

function assertOpen({ clock }: Context, { state, reason, expiresAt }: AcceptanceRow): void {
  if (state === 'active' && expiresAt > clock()) return
  const now = state === 'active' ? 'expired' : state === 'accepting' ? 'being settled' : state
  throw conflict('offer-not-active', `This acceptance is ${now}${reason ? ` (${reason})` : ''}`)
}
