import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import type { OnSigned, SigningRequest } from '../wallet.ts'

export interface Account {
  address: string
  /** Hex, as the wallet returns it: compressed, or x-only. */
  publicKey: string
  /** Origin of the key, if known, such as `d34db33f/86h/0h/0h/0/7`. */
  origin?: string
}

/** The two addresses of a wallet, which may be equal. */
export interface Accounts {
  ordinals: Account
  payment: Account
}

/**
 * Adapter of a browser wallet. It validates each response of the wallet, and throws WalletRefused for a response that does not match the
 * wallet's documentation.
 */
export interface Adapter {
  id: string
  name: string
  /** Download page of the wallet. */
  url: string
  /** Whether the wallet is installed in the browser. False outside of a browser. */
  isPresent(): boolean
  /** The same wallet for another chain (Bitcoin Core's name), if its extension has separate providers. */
  forChain?(chain: string): Adapter
  /**
   * Calls back when the user switches accounts in the wallet, with the new ordinals address, or null if the wallet does not report it.
   * Returns a function that unsubscribes. Absent if the wallet has no such event.
   */
  onAccountChange?(changed: (ordinalsAddress: string | null) => void): () => void
  /** Requests the wallet's accounts. Like the signing methods, throws WalletRefused, WalletDeclined or the wallet's error. */
  connect(network: AddressNetwork): Promise<Accounts>
  /** Clears stored accounts, so that the next sign-in requests them again. */
  forget?(): void
  /**
   * Returns the coins with inscriptions at an address, from the wallet's index: one inscription per `txid:vout`. Returns null if the wallet
   * cannot list them all. Absent if the wallet has no such call.
   */
  inscriptionsAt?(address: string): Promise<ReadonlyMap<string, string> | null>
  /** BIP-322 simple; base64 or hex. */
  signMessage(account: Account, message: string): Promise<string>
  /**
   * Signs PSBTs without finalizing them, in one request if the wallet supports it; base64 in and out. `onSigned` is called with each
   * result.
   */
  signPsbts(requests: readonly SigningRequest[], accounts: Accounts, onSigned?: OnSigned): Promise<string[]>
}
