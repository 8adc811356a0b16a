import { randomUUID } from 'node:crypto'
import { feeOf } from '@ordbook/bitcoin/sats.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import {
  type Coin,
  feeOfLayout,
  type Layout,
  positionsOf,
  signedVsizeOf,
  transactionOf,
} from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS, buildReclaim, type TransferTerms } from '@ordbook/bitcoin/trade/listing.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type * as operations from '@ordbook/contract/escrows.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { Context } from '../context.ts'
import { type Charge, nameAnchors, takeNamed } from '../market-coins/grants.ts'
import { writeTransaction } from '../market-coins/pool.ts'
import { savePreflight } from '../preflight/preflights.ts'
import { describeSteps, type Step, signaturesOf } from '../preflight/steps.ts'
import type { UseCase } from '../use-case.ts'
import { submitLeaving } from './leave.ts'
import { ownEscrows, rejectInTrade } from './own.ts'

/** Reclaims inscriptions from escrow to their owner. The market co-signs, pays with new anchors and charges the wallet's budget. */
interface Prepared {
  escrows: TransferTerms[]
  feeCoins: Coin[]
}

export const preflightReclaim: UseCase<typeof operations.preflightReclaim> = async (context, call) => {
  const { sql } = context
  const { session, body: input } = call
  const { binding, escrows } = await ownEscrows(context, session, input, input.escrows)
  await rejectInTrade(sql, escrows)
  const rate = await settlementFeeRate(context)
  const charge = await chargeOf(context, session, binding)
  const reclaimId = randomUUID()
  const terms = escrows.map((escrow) => escrow.terms)
  const prepared = await inTransaction(sql, async (tx): Promise<Prepared> => {
    const feeCoins = await nameAnchors(context, tx, charge, { count: anchorsFor(terms, rate) })
    const reclaim = { escrows: terms, feeCoins }
    await savePreflight(context, tx, {
      handle: reclaimId,
      kind: 'reclaim',
      walletBindingId: binding.walletBindingId,
      request: canonical(input),
      prepared: reclaim,
    })
    return reclaim
  })
  const layout = buildReclaim(prepared.escrows, prepared.feeCoins)
  return {
    reclaimId,
    expectedTxid: txidOf(transactionOf(layout)),
    feeSats: feeOfLayout(layout),
    steps: describeSteps(context, [stepOf(layout, binding, input.ordinalsPublicKey)]),
  }
}

export const submitReclaim: UseCase<typeof operations.submitReclaim> = async (context, call) => {
  const { signer } = context
  const { session, body: input } = call
  return submitLeaving<Prepared, AnswerOf<typeof operations.submitReclaim>>(context, call, {
    handle: input.reclaimId,
    kind: 'reclaim',
    echoes: canonical(input),
    reason: 'reclaimed by its seller',
    async prepare({ feeCoins, escrows: terms }, { binding, escrows, handle }) {
      const layout = buildReclaim(terms, feeCoins)
      const steps = [stepOf(layout, binding, input.ordinalsPublicKey)]
      const [signatures] = await signaturesOf(input.signedSteps, steps)
      const charge = await chargeOf(context, session, binding)
      const { walletBindingId } = charge
      return async (tx) => {
        await takeNamed(context, tx, charge, feeCoins, handle)
        const signed = await signer.signReclaim({ escrows: terms, feeCoins, signatures: signatures! })
        const causes = escrows.map(({ row: { inscriptionId } }) => ({
          purpose: 'reclaim' as const,
          walletBindingId,
          orderId: handle,
          inscriptionId,
        }))
        await writeTransaction(tx, signed, { purpose: 'reclaim', handle, causes }, feeCoins)
        return { txid: signed.txid }
      }
    },
  })
}

/** Budgets never reject a reclaim, because its transfer was already charged. */
const chargeOf = async (context: Context, session: Session, binding: BindingRow): Promise<Charge> => ({
  use: 'reclaim',
  walletBindingId: binding.walletBindingId,
  takenBy: await context.funding.takerOf(session, binding),
})

/** Returns the number of anchors for a fee rate, one or two per item. */
function anchorsFor(escrows: readonly TransferTerms[], rate: number): number {
  const vsizeWith = (count: number) =>
    signedVsizeOf(buildReclaim(escrows, Array<Coin>(count).fill(escrows[0]!.anchor)))
  let count = escrows.length
  while (count < 2 * escrows.length && count * ANCHOR_SATS < feeOf(vsizeWith(count), rate)) count++
  return count
}

const canonical = ({ ordinalsPublicKey, escrows }: BodyOf<typeof operations.preflightReclaim>) => ({
  ordinalsPublicKey,
  escrows: escrows.map(({ txid, vout }) => ({ txid, vout })),
})

function stepOf(layout: Layout, binding: BindingRow, publicKey: string): Step {
  return {
    layout,
    indexes: positionsOf(layout.inputs, 'escrow'),
    sighash: SIGHASH.ALL,
    signerScript: binding.ordinalsScript,
    publicKey,
  }
}
