import type { Accounts, Adapter } from '@ordbook/sdk/wallets/adapter.ts'

/** The connected wallet of a session; `walletBindingId` is the market's id of its accounts. */
export interface Signed {
  adapter: Adapter
  accounts: Accounts
  walletBindingId: string
}
