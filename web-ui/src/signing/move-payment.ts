import type { OwnCoin } from '@ordbook/sdk/verify.ts'

/** Most sizes in vB: of a transaction with its change, of an escrow with its output, of a coin that pays. */
const SIZE = { frame: 60, escrow: 180, coin: 92 }
/** A change below this is left to the miners. */
const DUST_SATS = 546

/** The largest coins that pay for a move of `escrowCount` escrows at a fee rate, and most that the network may then take. */
export function paymentOfMove(
  coins: readonly OwnCoin[],
  escrowCount: number,
  feeRateSatVb: number,
): { coins: OwnCoin[]; maxNetworkSats: number } {
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
