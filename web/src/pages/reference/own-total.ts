import type { Answer } from '@ordbook/sdk/operations.ts'

/** Adds the fees to what was bought, and subtracts them from what was sold. */
export function totalOf(
  sales: readonly Pick<Answer<'listOwnSales'>['sales'][number], 'side' | 'priceSats' | 'feesSats'>[],
): number | null {
  let totalSats = 0
  for (const { side, priceSats, feesSats } of sales) {
    if (feesSats === null) return null
    totalSats += side === 'bought' ? priceSats + feesSats : priceSats - feesSats
  }
  return totalSats
}
