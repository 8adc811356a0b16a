import type { Client } from './client.ts'
import type { MarketKeys } from './verify/owner.ts'

export type PinnedKeys = Pick<MarketKeys, 'cosignKey' | 'guardianKey'>

export interface KeyStore {
  read(): PinnedKeys | null | Promise<PinnedKeys | null>
  write(keys: PinnedKeys): void | Promise<void>
  changed(): Error
}

/** Returns the market's keys, and stores them on first use. Throws `store.changed()` if they changed. */
export async function pinMarketKeys(client: Pick<Client, 'call'>, store: KeyStore): Promise<MarketKeys> {
  const { cosignKey, guardianKey, marketAddress } = await client.call('getMarketKeys')
  const stored = await store.read()
  if (!stored) await store.write({ cosignKey, guardianKey })
  else if (stored.cosignKey !== cosignKey || stored.guardianKey !== guardianKey) throw store.changed()
  return { cosignKey, guardianKey, marketAddress }
}
