import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import type { OnSigned, SigningRequest } from '../wallet.ts'

export interface Account {
  address: string
  /** Hex, as the wallet gives it: compressed, or x-only. */
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
 * One kind of wallet: finds it, connects it and asks it to sign. An adapter parses each answer of its wallet and throws
 * WalletRefused where the answer has another shape than the wallet documents.
 */
export interface Adapter {
  id: string
  name: string
  /** Page of the wallet's maker, where collectors install it. */
  url: string
  /** Whether the browser has it. Always false outside of a browser. */
  isPresent(): boolean
  /** The same wallet for a chain, as Bitcoin Core names it, where its extension has a provider for each. */
  forChain?(chain: string): Adapter
  /**
   * Calls back when the user turns to another account in the wallet: with its ordinals address, or with null where the wallet does not
   * say which. Returns a function that ends it. Absent where the wallet has no such event.
   */
  onAccountChange?(changed: (ordinalsAddress: string | null) => void): () => void
  /** Asks for its accounts. Throws WalletRefused, WalletDeclined or the wallet's own error, as signing does. */
  connect(network: AddressNetwork): Promise<Accounts>
  /** Drops kept accounts, so that the next sign-in asks for them again. */
  forget?(): void
  /**
   * The coins at an address in which the wallet's own index has inscriptions: one inscription for each `txid:vout`. Null if the wallet
   * cannot list them all. Absent if it has no such call.
   */
  inscriptionsAt?(address: string): Promise<ReadonlyMap<string, string> | null>
  /** BIP-322 simple; base64 or hex. */
  signMessage(account: Account, message: string): Promise<string>
  /**
   * Signs PSBTs without finalising them, in one request where the wallet has one; base64 in and out. `onSigned` gets each as the wallet
   * answers.
   */
  signPsbts(requests: readonly SigningRequest[], accounts: Accounts, onSigned?: OnSigned): Promise<string[]>
}
