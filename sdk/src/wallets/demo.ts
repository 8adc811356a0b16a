import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { demoWallets } from '../demo-wallets.ts'
import type { LocalWallet } from '../wallet.ts'
import type { Accounts, Adapter } from './adapter.ts'

/** A demo wallet inside the page, on regtest only. */
function testWallet(id: string, name: string, which: 'first' | 'second'): Adapter {
  let wallet: LocalWallet | undefined
  const open = (network: AddressNetwork) => {
    if (network !== 'regtest') throw new Error('Test wallets work on regtest only.')
    wallet ??= demoWallets(network)[which]
    return wallet
  }
  return {
    id,
    name,
    url: '',
    isPresent: () => true,
    async connect(network): Promise<Accounts> {
      const { ordinalsAddress, ordinalsPublicKey, paymentAddress, paymentPublicKey } = open(network)
      return {
        ordinals: { address: ordinalsAddress, publicKey: ordinalsPublicKey },
        payment: { address: paymentAddress, publicKey: paymentPublicKey },
      }
    },
    signMessage: ({ address }, message) => open('regtest').signMessage(address, message),
    async signPsbts(requests) {
      const signed = []
      for (const { psbtBase64, inputsToSign } of requests)
        signed.push(await open('regtest').signPsbt(psbtBase64, inputsToSign))
      return signed
    },
  }
}

export const testWallets: readonly Adapter[] = [
  testWallet('test-first', 'Test wallet 1', 'first'),
  testWallet('test-second', 'Test wallet 2', 'second'),
]
