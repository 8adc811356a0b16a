import { getMarketKeys } from '@ordbook/contract/record.ts'
import type { Trader } from './trader.ts'
import type { MarketKeys } from './verify/owner.ts'
import { demandAnswer } from './verify/verifier.ts'

/**
 * The keys of the trader's market: the trader's own, or otherwise the ones that the market shows at the first trade. This is the only place
 * where a market is trusted about itself, and a market that lies from the start is not detected. Create traders with `cosignKey` and
 * `guardianKey` from another source. Throws CheckFailed for invalid keys.
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
