import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { insufficient } from '@ordbook/bitcoin/trade/payment.ts'
import { Fault, invalid } from '../errors.ts'
import type { usableCoins } from '../settlements/payment-coins.ts'

/** Most coins that one funding parent spends. */
const MOST_COINS = 50

/**
 * Coins for each offer of a ladder, none for two of them: or the first fill would end the others. Throws invalid when the
 * coins do not suffice.
 */
export async function payOffers(
  candidates: Awaited<ReturnType<typeof usableCoins>>,
  prices: readonly number[],
): Promise<Coin[][]> {
  const chosen: Coin[][] = []
  for (const [k, priceSats] of prices.entries()) {
    const attempt = candidates.pay((coins) => {
      if (coins.length > MOST_COINS)
        throw new BitcoinError(
          'coins-fragmented',
          `an offer is paid from at most ${MOST_COINS} coins: combine some first`,
        )
      const missingSats = priceSats - sumSats(coins.map((coin) => coin.valueSats))
      if (missingSats > 0) throw insufficient(missingSats)
      return coins
    })
    const paid = await attempt.catch((error: unknown) => {
      // Only a refusal of the coins is about this offer; an outage stays one.
      if (k === 0 || !(error instanceof Fault) || error.kind !== 'invalid') throw error
      throw invalid(
        `${error.message}; this is for offer ${k + 1} of ${prices.length}, and each needs coins of its own`,
        error,
      )
    })
    chosen.push(paid.chosen)
    candidates.without(paid.chosen)
  }
  return chosen
}
