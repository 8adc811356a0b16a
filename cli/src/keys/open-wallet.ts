import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { LocalWallet, type Wallet } from '@ordbook/sdk'
import { demoWallets } from '@ordbook/sdk/demo-wallets'
import { keysOfSeed } from '@ordbook/sdk/hd-wallet.ts'
import type { KeySource } from '../config.ts'
import { Failure } from '../failure.ts'
import { readSecret } from '../own-files.ts'
import { openCoreWallet } from './core.ts'
import { keyOfDescriptor } from './descriptor.ts'
import { fileWallet } from './files.ts'
import { seedOf } from './hd.ts'

/** A wallet, with the private key of its ordinals address if available. */
export interface Opened {
  wallet: Wallet
  ordinalsKey: Uint8Array | null
}

export async function openWallet(
  source: KeySource,
  network: AddressNetwork,
  note: (text: string) => void,
): Promise<Opened> {
  const isMainnet = network === 'mainnet'
  switch (source.kind) {
    case 'demo': {
      if (network !== 'regtest')
        throw new Failure(
          'demo-keys',
          'the private keys of the demo wallets are public: use them on regtest only',
        )
      return { wallet: demoWallets(network)[source.name], ordinalsKey: null }
    }
    case 'core':
      return { wallet: await openCoreWallet(source, network), ordinalsKey: null }
    case 'files':
      return { wallet: fileWallet(source, network, note), ordinalsKey: null }
    case 'seed': {
      const { account, payment, passphraseFile } = source
      const passphrase = passphraseFile === undefined ? '' : readSecret(passphraseFile)
      const seed = seedOf(readSecret(source.file), passphrase)
      const keys = keysOfSeed(seed, { account, network, paymentKind: payment })
      return localWallet(keys, network, payment)
    }
    case 'descriptor': {
      const lines = readSecret(source.file).split('\n').filter(Boolean)
      const keys = lines.map((line) => keyOfDescriptor(line, isMainnet))
      const ordinals = keys.find(({ kind }) => kind === 'p2tr')
      const payment = keys.find((key) => key !== ordinals) ?? ordinals
      if (!ordinals || !payment || keys.length > 2)
        throw new Failure(
          'bad-descriptor',
          `${source.file}: expected tr(KEY) for inscriptions, and at most one more descriptor for payments`,
        )
      return localWallet({ ordinals: ordinals.key, payment: payment.key }, network, payment.kind)
    }
  }
}

function localWallet(
  keys: { ordinals: Uint8Array; payment: Uint8Array },
  network: AddressNetwork,
  paymentKind: 'p2tr' | 'p2wpkh' | 'p2sh-p2wpkh',
): Opened {
  return { wallet: new LocalWallet(keys, { network, paymentKind }), ordinalsKey: keys.ordinals }
}
