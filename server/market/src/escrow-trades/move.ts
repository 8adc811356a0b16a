import { randomUUID } from 'node:crypto'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { type Layout, positionsOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { movedCoinOf, type TransferTerms } from '@ordbook/bitcoin/trade/listing.ts'
import { buildPaidMove } from '@ordbook/bitcoin/trade/paid-move.ts'
import type { EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import type { Payer } from '@ordbook/bitcoin/trade/payment.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type * as operations from '@ordbook/contract/escrows.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { pack } from '@ordbook/db/driver/pack.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { BindingRow } from '../auth/queries.ts'
import { insertEscrow, transferTermsOf } from '../escrows/queries.ts'
import { escrowOwnerOf } from '../listings/owner.ts'
import { writeTransaction } from '../market-coins/pool.ts'
import { canonicalCoin } from '../preflight/echoes.ts'
import { savePreflight } from '../preflight/preflights.ts'
import { describeSteps, parentsOf, type Step, signaturesOf } from '../preflight/steps.ts'
import { assertConfirmedCoins, payerWithCoins, usableCoins } from '../settlements/payment-coins.ts'
import { listClaimed } from '../settlements/queries.ts'
import type { UseCase } from '../use-case.ts'
import { submitLeaving } from './leave.ts'
import { ownEscrows, rejectInTrade } from './own.ts'

/**
 * Moves escrow coins to new escrow coins, which voids all signed legs. Old legs stay valid until the move confirms, so the new coins cannot
 * be listed before.
 */
type Request = BodyOf<typeof operations.preflightMove>
type Answer = AnswerOf<typeof operations.submitMove>

interface Prepared {
  escrows: TransferTerms[]
  form: EscrowForm
  from: Payer
  feeRateSatVb: number
}

export const preflightMove: UseCase<typeof operations.preflightMove> = async (context, call) => {
  const { sql } = context
  const { session, body: input } = call
  const { binding, escrows } = await ownEscrows(context, session, input, input.escrows)
  const form = input.escrowForm ?? 'published'
  const seller = escrowOwnerOf(context, binding, input.ordinalsPublicKey, form)
  const payer = payerWithCoins(binding, input)
  await rejectInTrade(sql, escrows)
  const feeRateSatVb = await settlementFeeRate(context)
  const candidates = await usableCoins(context, binding, input.spendableUtxos)
  const terms = escrows.map((escrow) => ({ ...escrow.terms, seller }))
  const fromCoins = (payments: Payer['payments']): Payer => ({
    payments,
    payer,
    changeScript: binding.paymentScript,
  })
  const { chosen, built } = await candidates.pay((coins) =>
    buildPaidMove(terms, form, fromCoins(coins), feeRateSatVb),
  )
  const moveId = randomUUID()
  const selectedPaymentUtxos = chosen.map(canonicalCoin)
  const prepared: Prepared = { escrows: terms, form, from: fromCoins(chosen), feeRateSatVb }
  await savePreflight(context, sql, {
    handle: moveId,
    kind: 'move',
    walletBindingId: binding.walletBindingId,
    request: { ...canonical(input), selectedPaymentUtxos },
    prepared,
  })
  return {
    moveId,
    expectedTxid: txidOf(transactionOf(built.layout)),
    feeRateSatVb,
    costSats: built.feeSats,
    selectedPaymentUtxos,
    steps: describeSteps(
      context,
      [stepOf(built.layout, binding, input)],
      await parentsOf(context, [built.layout]),
    ),
  }
}

export const submitMove: UseCase<typeof operations.submitMove> = async (context, call) => {
  const { signer } = context
  const { body: input } = call
  return submitLeaving<Prepared, Answer>(context, call, {
    handle: input.moveId,
    kind: 'move',
    echoes: { ...canonical(input), selectedPaymentUtxos: input.selectedPaymentUtxos.map(canonicalCoin) },
    reason: 'moved to a new escrow by its owner',
    async prepare({ escrows: terms, form, from, feeRateSatVb }, { binding, escrows, handle }) {
      const { layout } = buildPaidMove(terms, form, from, feeRateSatVb)
      const [signatures] = await signaturesOf(input.signedSteps, [stepOf(layout, binding, input)])
      await assertConfirmedCoins(context, from.payments)
      const { walletBindingId } = binding
      return async (tx, now) => {
        if ((await listClaimed(tx, from.payments)).length > 0)
          throw conflict('coin-spent', 'Another of your trades already spends a payment coin.')
        const signed = await signer.signMove({
          escrows: terms,
          form,
          from,
          feeRateSatVb,
          signatures: signatures!.slice(0, terms.length),
          paymentSignatures: signatures!.slice(terms.length),
        })
        const cause = { purpose: 'move', walletBindingId, orderId: handle } as const
        await writeTransaction(tx, signed, { purpose: 'move', handle, causes: [cause] }, [])
        const moved = escrows.map((_, i) => movedCoinOf(layout, i))
        for (const [i, { row }] of escrows.entries()) {
          const movedTo = moved[i]!
          await insertEscrow(tx, {
            ...movedTo,
            walletBindingId,
            collectionId: row.collectionId,
            inscriptionId: row.inscriptionId,
            sellerScript: row.sellerScript,
            terms: pack(transferTermsOf({ ...terms[i]!, escrowForm: form, movedTo })),
            transferSignature: row.transferSignature,
            generation: -1,
            createdAt: now,
          })
        }
        return { txid: signed.txid, escrows: moved.map(({ txid, vout }) => ({ txid, vout })) }
      }
    },
  })
}

const canonical = ({
  ordinalsPublicKey,
  paymentPublicKey,
  escrows,
  escrowForm,
  spendableUtxos,
}: Request) => ({
  ordinalsPublicKey,
  paymentPublicKey,
  escrows: escrows.map(({ txid, vout }) => ({ txid, vout })),
  escrowForm: escrowForm ?? 'published',
  spendableUtxos: spendableUtxos?.map(canonicalCoin) ?? null,
})

/** One transaction signed by two addresses. Escrow inputs use SIGHASH_ALL, payment inputs the wallet's default. */
function stepOf(
  layout: Layout,
  binding: BindingRow,
  { ordinalsPublicKey, paymentPublicKey }: Pick<Request, 'ordinalsPublicKey' | 'paymentPublicKey'>,
): Step {
  const payments = positionsOf(layout.inputs, 'payment')
  return {
    layout,
    indexes: [...positionsOf(layout.inputs, 'escrow'), ...payments],
    sighash: SIGHASH.ALL,
    signerScript: binding.ordinalsScript,
    publicKey: ordinalsPublicKey,
    others: { indexes: payments, signerScript: binding.paymentScript, publicKey: paymentPublicKey },
  }
}
