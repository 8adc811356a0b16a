import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { bpsOf } from '@ordbook/bitcoin/sats.ts'
import { listCoins } from '@ordbook/sdk/payment-coins.ts'
import type { Trader } from '@ordbook/sdk/trader.ts'
import type { OwnCoin } from '@ordbook/sdk/verify.ts'
import { client, queries } from '../api/client.ts'
import type { Market } from '../api/settings.tsx'
import { networkSatsOf, type Shown, type ShownQuote } from '../ticket/quotes/purchase-quote.ts'
import type { Signed } from '../wallet/signed.ts'
import { coinProofOf } from './own-coins.ts'
import type { Progress } from './progress.ts'
import { type Intent, traderOf } from './trader.ts'

export interface Trading {
  signed: Signed
  market: Market
  progress: Progress
}

/** Returns the bill that the page showed, or requests it. */
export const billedQuote = async (
  { quote }: Shown,
  request: () => Promise<ShownQuote>,
): Promise<{ quote: ShownQuote; maxNetworkSats: number }> => {
  const known = quote ?? (await request())
  return { quote: known, maxNetworkSats: networkSatsOf(known.bill) }
}

/** Returns the fee limits of a trade, which are checked separately. */
export function costLimits(
  { market }: Trading,
  { feeBps, royaltyBps, priceSats }: { feeBps: number; royaltyBps: number; priceSats: number },
  maxNetworkSats: number,
) {
  const { feeMinSats } = market.fees
  return {
    maxFeeBps: feeBps + royaltyBps,
    maxFeeSats: feeBps > 0 && feeMinSats > 0 ? feeMinSats + bpsOf(priceSats, royaltyBps) : 0,
    maxNetworkSats,
  }
}

export function trader({ signed, market, progress }: Trading, intent: Intent): Promise<Trader> {
  return traderOf(signed, market, intent, progress)
}

/** `coins`: the coins that pay, or null for all. */
export interface Billed extends Shown {
  coins: readonly Outpoint[] | null
}

/** Returns the coins of a bill, or all coins of the wallet. */
export async function coinsOf(
  { signed }: Trading,
  billed: readonly Outpoint[] | null = null,
): Promise<OwnCoin[]> {
  const { walletBindingId } = signed
  const { plain, unproven } = await listCoins({ client, walletBindingId }, coinProofOf(signed))
  const coins = [...plain, ...unproven.map(({ coin }) => coin)]
  if (!billed) return coins
  const billedOutpoints = new Set(billed.map(formatOutpoint))
  return coins.filter((coin) => billedOutpoints.has(formatOutpoint(coin)))
}

/** Refetches everything after the visitor's own change. */
export const refresh = () => queries.invalidateQueries()
