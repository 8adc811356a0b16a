import { getMarketKeys } from './checks/answers.ts'
import { demandAnswer } from './checks/demand-answer.ts'
import type { Trader } from './trader.ts'
import type { MarketKeys } from './verify/owner.ts'

/**
 * Returns the market's keys: from the trader, or from the market at the first trade (trust on first use). A market that lies at the first
 * trade is not detected; create traders with `cosignKey` and `guardianKey` from another source to rule this out. Throws CheckFailed for
 * invalid keys.
 */
export async function keysOf(trader: Trader): Promise<MarketKeys> {
  const { cosignKey, guardianKey, marketAddress } = trader
  if (cosignKey && guardianKey && marketAddress) return { cosignKey, guardianKey, marketAddress }
  const marketKeys = await trader.client.call('getMarketKeys')
  demandAnswer(getMarketKeys, marketKeys)
  trader.cosignKey ??= marketKeys.cosignKey
  trader.guardianKey ??= marketKeys.guardianKey
  trader.marketAddress ??= marketKeys.marketAddress
  return { cosignKey: trader.cosignKey, guardianKey: trader.guardianKey, marketAddress: trader.marketAddress }
}
