import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import type { OnSigned, SigningRequest } from '../wallet.ts'

export interface Account {
  address: string
  /** Hex, compressed or x-only. */
  publicKey: string
  /** Origin of the key, if known, such as `d34db33f/86h/0h/0h/0/7`. */
  origin?: string
}

/** The two addresses of a wallet, which may be equal. */
export interface Accounts {
  ordinals: Account
  payment: Account
}

/** Adapter of a browser wallet. Methods throw WalletRefused for a response that does not match the wallet's documentation. */
export interface Adapter {
  id: string
  name: string
  /** Download page of the wallet. */
  url: string
  /** Whether the wallet is installed. False outside of a browser. */
  isPresent(): boolean
  /** Returns the adapter for another chain (Bitcoin Core's name), if the wallet has a provider per chain. */
  forChain?(chain: string): Adapter
  /**
   * Calls `changed` when the user switches accounts, with the new ordinals address, or null if it is unknown. Returns a function that
   * unsubscribes. Absent if the wallet has no such event.
   */
  onAccountChange?(changed: (ordinalsAddress: string | null) => void): () => void
  /** Requests the wallet's accounts. Throws WalletRefused, WalletDeclined or the wallet's error, like the signing methods. */
  connect(network: AddressNetwork): Promise<Accounts>
  /** Clears stored accounts, so that the next sign-in requests them again. */
  forget?(): void
  /**
   * Returns the coins with inscriptions at an address, from the wallet's index: one inscription per `txid:vout`, or null if the list is
   * incomplete. Absent if the wallet has no such call.
   */
  inscriptionsAt?(address: string): Promise<ReadonlyMap<string, string> | null>
  /** BIP-322 simple; base64 or hex. */
  signMessage(account: Account, message: string): Promise<string>
  /**
   * Signs PSBTs without finalizing them, in one request if the wallet supports it; base64 in and out. `onSigned` is called with each
   * result.
   */
  signPsbts(requests: readonly SigningRequest[], accounts: Accounts, onSigned?: OnSigned): Promise<string[]>
  /** Returns the number of windows in which the wallet shows this many PSBTs. Absent if it shows all in one. */
  windowsFor?(psbts: number): number
}
