import type { OwnCoin } from '@ordbook/sdk/verify.ts'
import { escrow as words } from '../strings/escrow.ts'

/** Most sizes in vB: of a transaction with its change, of an escrow with its output, of a coin that pays. */
const SIZE = { frame: 60, escrow: 180, coin: 92 }
/** Above this rate, in sat/vB, the figure of the market is a mistake or a lie. */
const MOST_FEE_RATE = 1000
/** A change below this is left to the miners. */
const DUST_SATS = 546

/** The largest coins that pay for a move or an exit of `escrowCount` escrows at a fee rate, and most that the network may then take. Throws if the rate is not plausible. */
export function paymentOfMove(
  coins: readonly OwnCoin[],
  escrowCount: number,
  feeRateSatVb: number,
): { coins: OwnCoin[]; maxNetworkSats: number } {
  if (!(feeRateSatVb <= MOST_FEE_RATE)) throw new Error(words.feeRateTooHigh(feeRateSatVb))
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
