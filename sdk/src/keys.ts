import { getMarketKeys } from './checks/answers.ts'
import { assertAnswer } from './checks/assert-answer.ts'
import type { Trader } from './trader.ts'
import type { MarketKeys } from './verify/owner.ts'

/**
 * Returns the trader's market keys, or requests them from the market (trust on first use). To rule out a lie at the first trade, create
 * traders with `cosignKey` and `guardianKey` from another source. Throws CheckFailed for invalid keys.
 */
export async function keysOf(trader: Trader): Promise<MarketKeys> {
  const { cosignKey, guardianKey, marketAddress } = trader
  if (cosignKey && guardianKey && marketAddress) return { cosignKey, guardianKey, marketAddress }
  const marketKeys = await trader.client.call('getMarketKeys')
  assertAnswer(getMarketKeys, marketKeys)
  trader.cosignKey ??= marketKeys.cosignKey
  trader.guardianKey ??= marketKeys.guardianKey
  trader.marketAddress ??= marketKeys.marketAddress
  return { cosignKey: trader.cosignKey, guardianKey: trader.guardianKey, marketAddress: trader.marketAddress }
}
