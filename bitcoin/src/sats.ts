import { BitcoinError } from './errors.ts'

/** All sats that can ever exist, which is below Number.MAX_SAFE_INTEGER: sums of sats are exact as numbers. */
export const MAX_SATS = 2_100_000_000_000_000

/** Returns `sats` when it is an integer in 0..MAX_SATS. Throws `sats-out-of-range` otherwise. */
export function assertSats(sats: number): number {
  if (!Number.isSafeInteger(sats) || sats < 0 || sats > MAX_SATS)
    throw new BitcoinError('sats-out-of-range', `${sats} is not an amount of sats`, { sats })
  return sats
}

/** Sats of `sats` at `bps` basis points, rounded down. The one product that can leave the safe range, hence bigint. */
export function bpsOf(sats: number, bps: number): number {
  return Number((BigInt(sats) * BigInt(bps)) / 10_000n)
}

/** The same, rounded up. */
export function bpsUpOf(sats: number, bps: number): number {
  return Number((BigInt(sats) * BigInt(bps) + 9_999n) / 10_000n)
}

/** BTC as the JSON number that Core and the API write. For display only: amounts are computed in sats. */
export function btcOfSats(sats: number): number {
  return sats / 1e8
}

/** Sats of a BTC amount as Core writes it in JSON. Exact: every 8-decimal amount below 21e6 survives a double. */
export function satsOfBtc(btc: number): number {
  return assertSats(Math.round(btc * 1e8))
}

/** Sums sats exactly. Throws `sats-out-of-range` if an amount or an intermediate sum is not a safe integer. */
export function sumSats(all: Iterable<number>): number {
  let total = 0
  for (const sats of all) {
    total += sats
    // Text would be appended instead of added, and a sum past the safe range be rounded.
    if (!Number.isSafeInteger(sats) || !Number.isSafeInteger(total))
      throw new BitcoinError('sats-out-of-range', `${sats} is not an amount of sats that can be added`)
  }
  return total
}

/** The fee in sats of `vsize` vB at `feeRateSatVb`, rounded up. Throws `sats-out-of-range`. */
export function feeOf(vsize: number, feeRateSatVb: number): number {
  if (!Number.isFinite(vsize) || !Number.isFinite(feeRateSatVb))
    throw new BitcoinError(
      'sats-out-of-range',
      `no fee can be computed for ${vsize} vB at ${feeRateSatVb} sat/vB`,
    )
  // A fee rate may carry binary noise (1.1 * 100 = 110.00000000000001): forgive it before rounding up.
  return Math.ceil(Number((vsize * feeRateSatVb).toFixed(6)))
}
