import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import { LocalWallet } from './wallet.ts'

const keyOf = (name: string) => sha256(new TextEncoder().encode(`ordbook demo wallet ${name}`))

/** Returns the two wallets of a regtest demo market. Their keys are public. */
export function demoWallets(network: AddressNetwork): { first: LocalWallet; second: LocalWallet } {
  const wallet = (name: string, paymentKind: 'p2wpkh' | 'p2tr') =>
    new LocalWallet(
      { ordinals: keyOf(`${name} ordinals`), payment: keyOf(`${name} payment`) },
      { network, paymentKind },
    )
  return { first: wallet('first', 'p2wpkh'), second: wallet('second', 'p2tr') }
}

export function demoCollectors(network: AddressNetwork): { key: Uint8Array; wallet: LocalWallet }[] {
  return ['third', 'fourth', 'fifth', 'sixth'].map((name) => {
    const keys = { ordinals: keyOf(`${name} ordinals`), payment: keyOf(`${name} payment`) }
    return { key: keys.ordinals, wallet: new LocalWallet(keys, { network, paymentKind: 'p2wpkh' }) }
  })
}
