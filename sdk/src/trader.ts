import type { EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import type { Client } from './client.ts'
import type { Wallet } from './wallet.ts'

/** A signed-in wallet at a market: preflight, check, sign, submit. */
export interface Trader {
  client: Client
  wallet: Wallet
  walletBindingId: string
  /** The market's co-sign key, hex. Without it `keysOf` trusts the market once, and then pins the key. */
  cosignKey?: string
  /** The same of its guardian, of collection-wide offers. */
  guardianKey?: string
  /** The same of the address of its fees. */
  marketAddress?: string
  /** Of listings and counters; by default `escrowFormOf` the wallet. */
  escrowForm?: EscrowForm
}
