import { getMarketKeys } from '@ordbook/contract/record.ts'
import type { Trader } from './trader.ts'
import type { MarketKeys } from './verify/owner.ts'
import { demandAnswer } from './verify/verifier.ts'

/**
 * The keys of the trader's market: those that the trader was made with, and else, at the first trade, those that the market shows. This
 * is the one place where a market is believed about itself, and nothing notices a market that lies from the first day on: make traders
 * with `cosignKey` and `guardianKey` that you keep, or that come from elsewhere. Throws CheckFailed for keys that are none.
 */
export async function keysOf(trader: Trader): Promise<MarketKeys> {
  const { cosignKey, guardianKey, marketAddress } = trader
  if (cosignKey && guardianKey && marketAddress) return { cosignKey, guardianKey, marketAddress }
  const shown = await trader.client.call('getMarketKeys')
  demandAnswer(getMarketKeys.answer, shown)
  trader.cosignKey ??= shown.cosignKey
  trader.guardianKey ??= shown.guardianKey
  trader.marketAddress ??= shown.marketAddress
  return { cosignKey: trader.cosignKey, guardianKey: trader.guardianKey, marketAddress: trader.marketAddress }
}
