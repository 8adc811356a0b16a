import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import type { OnSigned, SigningRequest } from '../wallet.ts'

export interface Account {
  address: string
  /** Hex, as the wallet returns it: compressed, or x-only. */
  publicKey: string
  /** The origin of the key in the wallet, if that is known: `d34db33f/86h/0h/0h/0/7`. */
  origin?: string
}

/** The two addresses that a wallet trades with; they may be the same one. */
export interface Accounts {
  ordinals: Account
  payment: Account
}

/**
 * Adapter of a wallet: finds it, connects it and has it sign. An adapter parses each response of its wallet and throws WalletRefused for a
 * response that does not match the wallet's documentation.
 */
export interface Adapter {
  id: string
  name: string
  /** Download page of the wallet. */
  url: string
  /** Whether the browser has it. Always false outside of a browser. */
  isPresent(): boolean
  /** The same wallet for another chain (Bitcoin Core's name), if its extension has separate providers. */
  forChain?(chain: string): Adapter
  /**
   * Calls back when the user switches accounts in the wallet, with the new ordinals address, or null if the wallet does not report it.
   * Returns a function that unsubscribes. Absent if the wallet has no such event.
   */
  onAccountChange?(changed: (ordinalsAddress: string | null) => void): () => void
  /** Asks for its accounts. Throws WalletRefused, WalletDeclined or the wallet's own error, as signing does. */
  connect(network: AddressNetwork): Promise<Accounts>
  /** Clears stored accounts, so that the next sign-in requests them again. */
  forget?(): void
  /**
   * The coins at an address in which the wallet's own index has inscriptions: one inscription for each `txid:vout`. Null if the wallet
   * cannot list them all. Absent if it has no such call.
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
