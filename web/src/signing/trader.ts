import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import type { Trader } from '@ordbook/sdk/trade.ts'
import type { Wallet } from '@ordbook/sdk/wallet.ts'
import { client } from '../client.ts'
import type { Signed } from '../session.tsx'
import type { Market } from '../settings.tsx'
import { store, storedJson } from '../stored.ts'
import { hexOfEither } from '../wallet/bytes.ts'
import { type Intent, review } from './review.tsx'

/**
 * A trader of the SDK whose wallet shows what it signs before it does: the SDK has checked each PSBT by then, and what does
 * not match never gets here.
 */
export function traderOf(
  { adapter, accounts, walletBindingId }: Signed,
  market: Market,
  intent: Intent,
): Trader {
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
  return { client, wallet, walletBindingId, ...keptKeys() }
}

const KEYS = 'market-keys'

/** The market's keys as this browser saw them first: one that shows others is another market. */
const keptKeys = () => storedJson<Pick<Trader, 'cosignKey' | 'guardianKey'>>(KEYS, {})

/** Keeps the market's keys. Throws when they are others than before. */
export async function holdKeys(): Promise<void> {
  const { cosignKey, guardianKey } = await client.call('getMarketKeys')
  const kept = keptKeys()
  if (kept.cosignKey && kept.cosignKey !== cosignKey)
    throw new Error('This market shows another key than before. Nothing was signed: ask its operator why.')
  store(KEYS, JSON.stringify({ cosignKey, guardianKey }))
}
