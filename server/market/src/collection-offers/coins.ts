import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { insufficient } from '@ordbook/bitcoin/trade/payment.ts'
import { Fault, invalid } from '@ordbook/db/process/errors.ts'
import type { PayingCoins } from '../settlements/payment-coins.ts'

/** Most coins that one funding parent spends. */
const MAX_COINS = 50

/**
 * Chooses coins for each offer of a ladder. Offers get separate coins if there are enough, so that a fill does not affect the others;
 * otherwise they share coins, and a fill of one ends the others. Throws invalid if all coins do not cover an offer, or if two offers at one
 * price would be identical.
 */
export async function payOffers(candidates: PayingCoins, prices: readonly number[]): Promise<Coin[][]> {
  const chosen: Coin[][] = []
  const pay = (priceSats: number) =>
    candidates.pay((coins) => {
      if (coins.length > MAX_COINS)
        throw new BitcoinError(
          'coins-fragmented',
          `an offer is paid from at most ${MAX_COINS} coins: combine some first`,
        )
      const missingSats = priceSats - sumSats(coins.map((coin) => coin.valueSats))
      if (missingSats > 0) throw insufficient(missingSats)
      return coins
    })
  for (const [k, priceSats] of prices.entries()) {
    const paid = await pay(priceSats).catch((error: unknown) => {
      // Only a refusal of the coins concerns this offer. An outage passes through.
      if (k === 0 || !(error instanceof Fault) || error.kind !== 'invalid') throw error
      if (priceSats === prices[k - 1])
        throw invalid(
          'coins-insufficient',
          `${error.message}; this is for offer ${k + 1} of ${prices.length}, and offers at one price need separate coins: set ladderStepSats`,
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

/** For each offer, the positions of the offers that share a coin with it: a fill of one ends the others. */
export function sharedWith(coins: readonly (readonly Coin[])[]): number[][] {
  const keys = coins.map((each) => new Set(each.map(formatOutpoint)))
  return keys.map((own, at) =>
    keys.flatMap((other, n) => (n !== at && !own.isDisjointFrom(other) ? [n] : [])),
  )
}
