import type { TxOutput } from './transaction.ts'

/**
 * First-in-first-out (ord handbook, "Ordinal Theory"): a transaction's sats are its inputs' sats in order, laid into
 * its outputs in order; what is left over is the fee.
 */
export type Landing = { vout: number; offset: number } | { feeOffset: number }

/** Where the sat at `offset` (counted over all inputs, from 0) lands. */
export function landingOf(offset: number, outputs: readonly TxOutput[]): Landing {
  let start = 0
  for (const [vout, output] of outputs.entries()) {
    if (offset < start + output.valueSats) return { vout, offset: offset - start }
    start += output.valueSats
  }
  return { feeOffset: offset - start }
}

/** The offset over all inputs of the first sat of input `index`. */
export function offsetOfInput(index: number, inputValuesSats: readonly number[]): number {
  let offset = 0
  for (const valueSats of inputValuesSats.slice(0, index)) offset += valueSats
  return offset
}
