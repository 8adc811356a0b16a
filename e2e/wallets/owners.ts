import { addressOfScript, keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { signMessage } from '@ordbook/bitcoin/bip322.ts'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import type { InputToSign, LocalWallet, Wallet } from '@ordbook/sdk/wallet.ts'
import { browserWallets } from '@ordbook/sdk/wallets/browser-wallets.ts'
import { walletOf } from '@ordbook/sdk/wallets/wallet-of.ts'
import { provide, type WalletKind } from '../../web/test/support/wallets.ts'
import type { EscrowOwner } from '../escrows/support/escrow-kit.ts'

export interface Owner extends EscrowOwner {
  /** Used if the wallet cannot sign messages. */
  signMessage?: Wallet['signMessage']
}
export interface Asked extends InputToSign {
  index: number
}
export type SignMessage = (message: string, script: Uint8Array) => Promise<string> | string
type Sign = (psbtBase64: string, inputs: readonly Asked[]) => Promise<string> | string

/** Builds a wallet with one taproot address for ordinals and payments. Third-party code signs. */
export function ownerBy(internalKey: Uint8Array, sign: Sign, signMessage: SignMessage): EscrowOwner {
  const script = scriptOfPublicKey(internalKey, 'p2tr')
  const address = addressOfScript(script, 'regtest')!
  const publicKey = bytesToHex(internalKey)
  const wallet: Wallet = {
    ordinalsAddress: address,
    paymentAddress: address,
    ordinalsPublicKey: publicKey,
    paymentPublicKey: publicKey,
    ordinalsScript: script,
    paymentScript: script,
    signMessage: async (_address, message) => signMessage(message, script),
    signPsbt: async (psbtBase64, inputs) =>
      sign(
        psbtBase64,
        inputs.flatMap((input) => input.signingIndexes.map((index) => ({ ...input, index }))),
      ),
  }
  return { wallet, spend: keySpendOf(script, internalKey) }
}

/** Signs messages with the key, for libraries that cannot. */
export const messagesBy =
  (key: Uint8Array): SignMessage =>
  (message, script) =>
    signMessage(script, message, key)

/** Returns a wallet behind its storefront adapter. The provider behaves as documented by the extension. */
export async function throughAdapter(kind: WalletKind, signing: LocalWallet): Promise<EscrowOwner> {
  const adapter = browserWallets.find(({ id }) => id === kind)!
  // Wallets of one kind share a property of `window`.
  const provided = <Asked extends unknown[], Answer>(ask: (...asked: Asked) => Answer) => {
    return (...asked: Asked): Answer => {
      provide(kind, signing)
      return ask(...asked)
    }
  }
  const accounts = await provided(adapter.connect)('regtest')
  const wallet = walletOf(adapter, accounts, 'regtest')
  return {
    wallet: {
      ...wallet,
      signMessage: provided(wallet.signMessage),
      signPsbt: provided(wallet.signPsbt),
      signPsbts: provided(wallet.signPsbts),
    },
    spend: keySpendOf(wallet.ordinalsScript, hexToBytes(wallet.ordinalsPublicKey)),
  }
}
