import type { TxOutput } from './transaction.ts'

/**
 * First-in-first-out (ord handbook, "Ordinal Theory"): a transaction's sats are its inputs' sats in order, laid into
 * its outputs in order; the rest is the fee.
 */
export type Landing = { vout: number; offset: number } | { feeOffset: number }

/** Finds the output and offset of the sat at `offset` (counted over all inputs, from 0). */
export function landingOf(offset: number, outputs: readonly TxOutput[]): Landing {
  return landings(outputs)(offset)
}

/** The same for many offsets, each found by a binary search. */
export function landings(outputs: readonly TxOutput[]): (offset: number) => Landing {
  let total = 0
  const starts = outputs.map(({ valueSats }) => {
    total += valueSats
    return total - valueSats
  })
  return (offset) => {
    if (offset >= total) return { feeOffset: offset - total }
    // The last output that begins at or before the offset. Outputs without sats begin at the same offset as the next output.
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return { vout: low, offset: offset - starts[low]! }
  }
}

/** The offset over all inputs of the first sat of input `index`. */
export function offsetOfInput(index: number, inputValuesSats: readonly number[]): number {
  let offset = 0
  for (const valueSats of inputValuesSats.slice(0, index)) offset += valueSats
  return offset
}
