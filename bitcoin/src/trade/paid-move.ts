import { checkSettlement } from './check.ts'
import { feeOfLayout } from './layout.ts'
import { buildMove, type TransferTerms } from './listing.ts'
import type { EscrowForm } from './passthrough.ts'
import { type Paid, type Payer, paymentInputs, withChange } from './payment.ts'

/**
 * A move of escrow coins to new ones of `form`, paid by their owner: the owner's coins follow the escrows, and the change is last. The
 * market co-signs the escrows and spends nothing. Throws `coins-insufficient`.
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
