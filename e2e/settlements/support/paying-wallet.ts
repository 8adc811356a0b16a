import { randomBytes } from 'node:crypto'
import { LocalWallet } from '@ordbook/sdk/index.ts'

export function payingWallet(): { wallet: LocalWallet; key: Uint8Array } {
  const keys = { ordinals: new Uint8Array(randomBytes(32)), payment: new Uint8Array(randomBytes(32)) }
  return { wallet: new LocalWallet(keys, { network: 'regtest', paymentKind: 'p2tr' }), key: keys.payment }
}
