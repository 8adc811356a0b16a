import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import type { SigningRequest } from '../wallet.ts'

/** What every wallet is to this page: who it is, and two things it can be asked. */
export interface Account {
  address: string
  /** Hex, as the wallet tells it: compressed, or x-only. */
  publicKey: string
}
export interface Accounts {
  ordinals: Account
  payment: Account
}

export interface Adapter {
  id: string
  name: string
  /** Where people get it. */
  url: string
  /** Whether the browser has it. */
  isPresent(): boolean
  /** Asks for its accounts. Throws WalletRefused, or what the wallet throws. */
  connect(network: AddressNetwork): Promise<Accounts>
  /** Forgets what it keeps of its accounts, so that a new sign-in asks anew. */
  forget?(): void
  /** BIP-322 simple; base64 or hex. */
  signMessage(account: Account, message: string): Promise<string>
  /** Signs PSBTs without finalising them; base64 in and out. */
  signPsbts(requests: readonly SigningRequest[], accounts: Accounts): Promise<string[]>
}

/** Something that an extension puts on the window, by its path; undefined where it did not. */
export function injected<T>(path: string): T | undefined {
  return path
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], globalThis) as
    | T
    | undefined
}
