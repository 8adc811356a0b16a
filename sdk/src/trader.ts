import type { EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import type { Client } from './client.ts'
import type { Wallet } from './wallet.ts'

/** A signed-in wallet at a market. */
export interface Trader {
  client: Client
  wallet: Wallet
  walletBindingId: string
  /** The market's co-sign key, hex. If absent, `keysOf` requests it from the market on first use. */
  cosignKey?: string
  /** The guardian key for collection offers, hex; pinned like `cosignKey`. */
  guardianKey?: string
  /** The address of the market's coins and fees; pinned like `cosignKey`. */
  marketAddress?: string
  /** Escrow form of listings and counters; default: `escrowFormOf(wallet)`. */
  escrowForm?: EscrowForm
}
