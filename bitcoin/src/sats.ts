import { BitcoinError } from './errors.ts'

/** Maximum amount. Sums of sats are exact as numbers. */
export const MAX_SATS = 2_100_000_000_000_000

/** Throws `sats-out-of-range` if `sats` is not an integer from 0 to MAX_SATS. */
export function assertSats(sats: number): number {
  if (!Number.isSafeInteger(sats) || sats < 0 || sats > MAX_SATS)
    throw new BitcoinError('sats-out-of-range', `${sats} is not an amount of sats`, { sats })
  return sats
}

/** Returns `bps` basis points of `sats`, rounded down. The product can exceed the safe integer range. */
export function bpsOf(sats: number, bps: number): number {
  return Number((BigInt(sats) * BigInt(bps)) / 10_000n)
}

/** Returns `bps` basis points of `sats`, rounded up. */
export function bpsUpOf(sats: number, bps: number): number {
  return Number((BigInt(sats) * BigInt(bps) + 9_999n) / 10_000n)
}

/** Converts sats to BTC for display. */
export function btcOfSats(sats: number): number {
  return sats / 1e8
}

/** Converts BTC from Core's JSON to sats. Exact for 8 decimals. */
export function satsOfBtc(btc: number): number {
  return assertSats(Math.round(btc * 1e8))
}

/** Sums amounts exactly. Throws `sats-out-of-range`. */
export function sumSats(all: Iterable<number>): number {
  let total = 0
  for (const sats of all) {
    total += sats
    // Reject strings and unsafe integers.
    if (!Number.isSafeInteger(sats) || !Number.isSafeInteger(total))
      throw new BitcoinError('sats-out-of-range', `${sats} is not an amount of sats, or the sum is too large`)
  }
  return total
}

/** Computes a fee in sats, rounded up. Throws `sats-out-of-range`. */
export function feeOf(vsize: number, feeRateSatVb: number): number {
  if (!Number.isFinite(vsize) || !Number.isFinite(feeRateSatVb))
    throw new BitcoinError(
      'sats-out-of-range',
      `cannot compute the fee of ${vsize} vB at ${feeRateSatVb} sat/vB`,
    )
  // Remove floating-point noise before rounding up.
  return Math.ceil(Number((vsize * feeRateSatVb).toFixed(6)))
}
