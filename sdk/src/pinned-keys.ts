import type { Client } from './client.ts'
import type { MarketKeys } from './verify/owner.ts'

export type PinnedKeys = Pick<MarketKeys, 'cosignKey' | 'guardianKey'>

/** Where a wallet stores the keys of a market. */
export interface KeyStore {
  read(): PinnedKeys | null | Promise<PinnedKeys | null>
  write(keys: PinnedKeys): void | Promise<void>
  /** The error if the market shows keys other than the stored ones. */
  changed(): Error
}

/** The market's keys, trusted on first use: the first ones are stored. Throws `store.changed()` if the market shows others later. */
export async function pinMarketKeys(client: Pick<Client, 'call'>, store: KeyStore): Promise<MarketKeys> {
  const { cosignKey, guardianKey, marketAddress } = await client.call('getMarketKeys')
  const kept = await store.read()
  if (!kept) await store.write({ cosignKey, guardianKey })
  else if (kept.cosignKey !== cosignKey || kept.guardianKey !== guardianKey) throw store.changed()
  return { cosignKey, guardianKey, marketAddress }
}
