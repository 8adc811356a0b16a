import { checkSettlement } from './check.ts'
import { feeOfLayout } from './layout.ts'
import { buildMove, type TransferTerms } from './listing.ts'
import type { EscrowForm } from './passthrough.ts'
import { type Paid, type Payer, paymentInputs, withChange } from './payment.ts'

/**
 * Builds a move of escrow coins, paid by their owner. Inputs: escrows, then the owner's coins. Change is the last output. The market only
 * co-signs. Throws `coins-insufficient`.
 */
export function buildPaidMove(
  escrows: readonly TransferTerms[],
  form: EscrowForm,
  from: Payer,
  feeRateSatVb: number,
): Paid {
  const move = buildMove(escrows, form, [])
  const payments = paymentInputs(from).map((input) => ({ ...input, signer: 'seller' as const }))
  const paid = withChange({ ...move, inputs: [...move.inputs, ...payments] }, from, 0, feeRateSatVb)
  checkSettlement(paid.layout, {
    inscriptionInputs: [...escrows.keys()],
    ownerScript: move.outputs[0]!.script,
    feeSats: feeOfLayout(paid.layout),
  })
  return paid
}
