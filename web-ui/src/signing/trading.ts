import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { bpsOf } from '@ordbook/bitcoin/sats.ts'
import { listCoins } from '@ordbook/sdk/payment-coins.ts'
import type { Trader } from '@ordbook/sdk/trader.ts'
import type { OwnCoin } from '@ordbook/sdk/verify.ts'
import { client, queries } from '../api/client.ts'
import type { Market } from '../api/settings.tsx'
import type { Signed } from '../wallet/signed.ts'
import { coinProofOf } from './own-coins.ts'
import type { Progress } from './progress.ts'
import type { Intent } from './review.tsx'
import { traderOf } from './trader.ts'

/** A signed-in wallet at the market of these pages; every trade needs it. */
export interface Trading {
  signed: Signed
  market: Market
  progress: Progress
}

/** Most that the network may take of one trade, in sats; the review shows the actual fee. */
export const MOST_NETWORK_SATS = 200_000

/** The limits of a trade: the rates of market and creator, the market's lowest fee, and the network fee. */
export function costLimits({ market }: Trading, feeBps: number, royaltyBps: number, priceSats: number) {
  const { feeMinSats } = market.fees
  return {
    maxFeeBps: feeBps + royaltyBps,
    maxFeeSats: feeBps > 0 && feeMinSats > 0 ? feeMinSats + bpsOf(priceSats, royaltyBps) : 0,
    maxNetworkSats: MOST_NETWORK_SATS,
  }
}

export function trader({ signed, market, progress }: Trading, intent: Intent): Promise<Trader> {
  return traderOf(signed, market, intent, progress)
}

/** The bill of an order that the page showed: the coins that pay, all where null, and the total, if it was exact. */
export interface Billed {
  coins: readonly Outpoint[] | null
  quotedSats?: number | undefined
}

/** The coins of the wallet that may pay: those of a bill, or all. Unproven ones among them need a tick in the review. */
export async function coinsOf(
  { signed }: Trading,
  billed: readonly Outpoint[] | null = null,
): Promise<OwnCoin[]> {
  const { walletBindingId } = signed
  const { plain, unproven } = await listCoins({ client, walletBindingId }, coinProofOf(signed))
  const coins = [...plain, ...unproven.map(({ coin }) => coin)]
  if (!billed) return coins
  const wanted = new Set(billed.map(formatOutpoint))
  return coins.filter((coin) => wanted.has(formatOutpoint(coin)))
}

/** Rereads everything after a change that this visitor made, without waiting for the events. */
export const refresh = () => queries.invalidateQueries()
