import type { Accounts, Adapter } from '@ordbook/sdk/wallets/adapter.ts'

/** Connected wallet of a session. `walletBindingId`: id of its accounts. */
export interface Signed {
  adapter: Adapter
  accounts: Accounts
  walletBindingId: string
}
