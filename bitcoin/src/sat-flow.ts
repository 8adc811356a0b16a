import type { TxOutput } from './transaction.ts'

/** Destination of a sat. Sats flow from inputs to outputs first in, first out (ord handbook, "Ordinal Theory"). The rest is the fee. */
export type Landing = { vout: number; offset: number } | { feeOffset: number }

/** Returns the destination of the sat at `offset` across all inputs. */
export function landingOf(offset: number, outputs: readonly TxOutput[]): Landing {
  return landings(outputs)(offset)
}

/** Like `landingOf` for many offsets, with binary search. */
export function landings(outputs: readonly TxOutput[]): (offset: number) => Landing {
  let total = 0
  const starts = outputs.map(({ valueSats }) => {
    total += valueSats
    return total - valueSats
  })
  return (offset) => {
    if (offset >= total) return { feeOffset: offset - total }
    // Find the last output that begins at or before the offset.
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return { vout: low, offset: offset - starts[low]! }
  }
}

/** Returns the offset of an input's first sat across all inputs. */
export function offsetOfInput(index: number, inputValuesSats: readonly number[]): number {
  let offset = 0
  for (const valueSats of inputValuesSats.slice(0, index)) offset += valueSats
  return offset
}
