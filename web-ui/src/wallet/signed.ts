import type { Accounts, Adapter } from '@ordbook/sdk/wallets/adapter.ts'

/** The wallet of a session, connected: an adapter, its accounts, and the binding that the market gave them. */
export interface Signed {
  adapter: Adapter
  accounts: Accounts
  walletBindingId: string
}
