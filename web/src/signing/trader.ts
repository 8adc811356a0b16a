import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import type { Trader } from '@ordbook/sdk/trade.ts'
import type { MarketKeys } from '@ordbook/sdk/verify.ts'
import type { Wallet } from '@ordbook/sdk/wallet.ts'
import { hexOfEither } from '@ordbook/sdk/wallets/bytes.ts'
import { client } from '../client.ts'
import type { Signed } from '../session.tsx'
import type { Market } from '../settings.tsx'
import { store, storedJson } from '../stored.ts'
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
  const { ordinals, payment } = accounts
  const wallet: Wallet = {
    ordinalsAddress: ordinals.address,
    paymentAddress: payment.address,
    ordinalsPublicKey: ordinals.publicKey,
    paymentPublicKey: payment.publicKey,
    ordinalsScript: scriptOfAddress(ordinals.address, market.addressNetwork),
    paymentScript: scriptOfAddress(payment.address, market.addressNetwork),
    signMessage: async (address, message) =>
      hexOfEither(await adapter.signMessage(address === ordinals.address ? ordinals : payment, message)),
    signPsbt: async (psbtBase64, inputsToSign) =>
      (await wallet.signPsbts!([{ psbtBase64, inputsToSign }]))[0]!,
    async signPsbts(requests) {
      await review(intent, wallet, requests)
      return adapter.signPsbts(requests, accounts)
    },
  }
  return { client, wallet, walletBindingId, ...(await pinnedKeys()) }
}

const KEYS = 'market-keys'

/**
 * The market's keys, pinned: this browser believes the first that it sees, and keeps them. Throws when the market shows others than
 * before.
 */
async function pinnedKeys(): Promise<MarketKeys> {
  const shown = await client.call('getMarketKeys')
  const kept = storedJson<Partial<MarketKeys>>(KEYS, {})
  for (const key of ['cosignKey', 'guardianKey'] as const)
    if (kept[key] && kept[key] !== shown[key])
      throw new Error('This market shows another key than before. Nothing was signed: ask its operator why.')
  const { cosignKey, guardianKey, marketAddress } = shown
  store(KEYS, JSON.stringify({ cosignKey, guardianKey }))
  return { cosignKey, guardianKey, marketAddress }
}
