import type { Trader } from '@ordbook/sdk/trader.ts'
import type { MarketKeys } from '@ordbook/sdk/verify.ts'
import type { Wallet } from '@ordbook/sdk/wallet.ts'
import { objectIn, textIn } from '@ordbook/sdk/wallets/answers.ts'
import { walletOf } from '@ordbook/sdk/wallets/wallet-of.ts'
import { client } from '../client.ts'
import type { Market } from '../settings.tsx'
import { store, storedJson } from '../stored.ts'
import type { Signed } from '../wallet/signed.ts'
import { type Intent, review } from './review.tsx'

/**
 * A trader of the SDK whose wallet shows what it signs before it does. The wallet gets the steps of a verified plan alone, which the
 * SDK has rebuilt itself: no other PSBT comes here.
 */
export async function traderOf(
  { adapter, accounts, walletBindingId }: Signed,
  market: Market,
  intent: Intent,
): Promise<Trader> {
  const own = walletOf(adapter, accounts, market.addressNetwork)
  const signPsbts: typeof own.signPsbts = async (requests) => {
    await review(intent, own, requests)
    return own.signPsbts(requests)
  }
  const wallet: Wallet = {
    ...own,
    signPsbts,
    signPsbt: async (psbtBase64, inputsToSign) => (await signPsbts([{ psbtBase64, inputsToSign }]))[0]!,
  }
  return { client, wallet, walletBindingId, ...(await pinnedKeys()) }
}

const KEYS = 'market-keys'

/** The keys that were kept; null for anything else. */
function keysIn(value: unknown): Pick<MarketKeys, 'cosignKey' | 'guardianKey'> | null {
  const { cosignKey, guardianKey } = objectIn(value, 'the kept keys')
  return { cosignKey: textIn(cosignKey, 'cosignKey'), guardianKey: textIn(guardianKey, 'guardianKey') }
}

/**
 * The market's keys, pinned: this browser believes the first that it sees, and keeps them. Throws when the market shows others than
 * before.
 */
async function pinnedKeys(): Promise<MarketKeys> {
  const shown = await client.call('getMarketKeys')
  const kept = storedJson(KEYS, keysIn)
  for (const key of ['cosignKey', 'guardianKey'] as const)
    if (kept && kept[key] !== shown[key])
      throw new Error(
        "This market's signing keys changed. Nothing was signed. If you did not expect this, do not sign.",
      )
  const { cosignKey, guardianKey, marketAddress } = shown
  store(KEYS, JSON.stringify({ cosignKey, guardianKey }))
  return { cosignKey, guardianKey, marketAddress }
}
