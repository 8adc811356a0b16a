import { type AddressNetwork, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import type { Wallet } from '../wallet.ts'
import type { Accounts, Adapter } from './adapter.ts'
import { hexOfSignature } from './bytes.ts'
import { withOrigins } from './origins.ts'

/** Creates a wallet from an adapter and its accounts. Throws if an address belongs to another network. */
export function walletOf(adapter: Adapter, accounts: Accounts, network: AddressNetwork): Required<Wallet> {
  const { ordinals, payment } = accounts
  const signPsbts: Required<Wallet>['signPsbts'] = (requests, onSigned) =>
    adapter.signPsbts(
      requests.map(({ psbtBase64, inputsToSign }) => ({
        psbtBase64: withOrigins(psbtBase64, [ordinals, payment], network),
        inputsToSign,
      })),
      accounts,
      onSigned,
    )
  return {
    name: adapter.name,
    ordinalsAddress: ordinals.address,
    paymentAddress: payment.address,
    ordinalsPublicKey: ordinals.publicKey,
    paymentPublicKey: payment.publicKey,
    ordinalsScript: scriptOfAddress(ordinals.address, network),
    paymentScript: scriptOfAddress(payment.address, network),
    signMessage: async (address, message) =>
      hexOfSignature(await adapter.signMessage(address === ordinals.address ? ordinals : payment, message)),
    signPsbt: async (psbtBase64, inputsToSign) => (await signPsbts([{ psbtBase64, inputsToSign }]))[0]!,
    signPsbts,
  }
}
