import { BitcoinError } from './errors.ts'

/** Upper bound of all amounts. It is below Number.MAX_SAFE_INTEGER, so sums of sats are exact as numbers. */
export const MAX_SATS = 2_100_000_000_000_000

/** Returns `sats` if it is an integer from 0 to MAX_SATS. Throws `sats-out-of-range` otherwise. */
export function assertSats(sats: number): number {
  if (!Number.isSafeInteger(sats) || sats < 0 || sats > MAX_SATS)
    throw new BitcoinError('sats-out-of-range', `${sats} is not an amount of sats`, { sats })
  return sats
}

/** Returns `bps` basis points of `sats`, rounded down. Uses bigint because the product can exceed the safe integer range. */
export function bpsOf(sats: number, bps: number): number {
  return Number((BigInt(sats) * BigInt(bps)) / 10_000n)
}

/** Returns `bps` basis points of `sats`, rounded up. */
export function bpsUpOf(sats: number, bps: number): number {
  return Number((BigInt(sats) * BigInt(bps) + 9_999n) / 10_000n)
}

/** Converts sats to BTC for display and JSON. Compute amounts in sats. */
export function btcOfSats(sats: number): number {
  return sats / 1e8
}

/** Converts a BTC amount from Core's JSON to sats. Exact for all 8-decimal amounts below 21 million. */
export function satsOfBtc(btc: number): number {
  return assertSats(Math.round(btc * 1e8))
}

/** Sums sats exactly. Throws `sats-out-of-range` if an amount or an intermediate sum is not a safe integer. */
export function sumSats(all: Iterable<number>): number {
  let total = 0
  for (const sats of all) {
    total += sats
    // A string would be concatenated, and an unsafe sum would be rounded.
    if (!Number.isSafeInteger(sats) || !Number.isSafeInteger(total))
      throw new BitcoinError('sats-out-of-range', `${sats} cannot be added as an amount of sats`)
  }
  return total
}

/** Returns the fee in sats for `vsize` vB at `feeRateSatVb`, rounded up. Throws `sats-out-of-range`. */
export function feeOf(vsize: number, feeRateSatVb: number): number {
  if (!Number.isFinite(vsize) || !Number.isFinite(feeRateSatVb))
    throw new BitcoinError(
      'sats-out-of-range',
      `cannot compute the fee of ${vsize} vB at ${feeRateSatVb} sat/vB`,
    )
  // Remove floating-point noise (1.1 * 100 = 110.00000000000001) before rounding up.
  return Math.ceil(Number((vsize * feeRateSatVb).toFixed(6)))
}
