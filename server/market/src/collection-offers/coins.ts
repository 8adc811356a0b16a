import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { insufficient } from '@ordbook/bitcoin/trade/payment.ts'
import { Fault, invalid } from '@ordbook/db/process/errors.ts'
import type { PayingCoins } from '../settlements/payment-coins.ts'

const MAX_COINS = 50

/**
 * Chooses coins for each offer of a ladder: separate coins if possible, otherwise shared ones. A fill ends all offers that share its coins.
 */
export async function payOffers(candidates: PayingCoins, prices: readonly number[]): Promise<Coin[][]> {
  const chosen: Coin[][] = []
  const pay = (priceSats: number) =>
    candidates.pay((coins) => {
      if (coins.length > MAX_COINS)
        throw new BitcoinError(
          'coins-fragmented',
          `an offer can spend at most ${MAX_COINS} coins; combine coins first`,
        )
      const missingSats = priceSats - sumSats(coins.map((coin) => coin.valueSats))
      if (missingSats > 0) throw insufficient(missingSats)
      return coins
    })
  for (const [k, priceSats] of prices.entries()) {
    const paid = await pay(priceSats).catch((error: unknown) => {
      // Handle only rejected coins.
      if (k === 0 || !(error instanceof Fault) || error.kind !== 'invalid') throw error
      if (priceSats === prices[k - 1])
        throw invalid(
          'coins-insufficient',
          `${error.message}. Offers at the same price need separate coins, which do not suffice for offer ${k + 1} of ${prices.length}. Set ladderStepSats.`,
          error,
        )
      candidates.including(chosen.flat())
      return pay(priceSats)
    })
    chosen.push(paid.chosen)
    candidates.without(paid.chosen)
  }
  return chosen
}

/** Returns the indexes of the other offers that share a coin. */
export function offersSharingCoins(coins: readonly (readonly Coin[])[]): number[][] {
  const outpoints = coins.map((offerCoins) => new Set(offerCoins.map(formatOutpoint)))
  return outpoints.map((own, at) =>
    outpoints.flatMap((other, n) => (n !== at && !own.isDisjointFrom(other) ? [n] : [])),
  )
}
