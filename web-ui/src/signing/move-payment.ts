import type { OwnCoin } from '@ordbook/sdk/verify.ts'
import { escrow as words } from '../strings/escrow.ts'

/** Maximum sizes in vB: transaction with change, escrow input with its output, paying input. */
const SIZE = { frame: 60, escrow: 180, coin: 92 }
/** Maximum plausible fee rate, in sat/vB. */
const MAX_FEE_RATE = 1000
const DUST_SATS = 546

/** Chooses coins and a maximum network fee to move or exit escrows. Throws if the fee rate is implausible. */
export function paymentOfMove(
  coins: readonly OwnCoin[],
  escrowCount: number,
  feeRateSatVb: number,
): { coins: OwnCoin[]; maxNetworkSats: number } {
  assertPlausibleRate(feeRateSatVb)
  const chosen: OwnCoin[] = []
  let leftSats = Math.ceil(feeRateSatVb * (SIZE.frame + SIZE.escrow * escrowCount)) + DUST_SATS
  let maxNetworkSats = leftSats
  for (const coin of coins.toSorted((a, b) => b.valueSats - a.valueSats)) {
    if (leftSats <= 0) break
    const coinSats = Math.ceil(feeRateSatVb * SIZE.coin)
    chosen.push(coin)
    maxNetworkSats += coinSats
    leftSats += coinSats - coin.valueSats
  }
  return { coins: chosen, maxNetworkSats }
}

/** Throws if a fee rate of the market is implausible. */
export function assertPlausibleRate(feeRateSatVb: number): void {
  if (!(feeRateSatVb <= MAX_FEE_RATE)) throw new Error(words.feeRateTooHigh(feeRateSatVb))
}
