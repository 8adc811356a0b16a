/** Adapters for browser wallets, a wallet with keys in memory, and the interface for other wallets. */

export { type InputToSign, LocalWallet, type OnSigned, type SigningRequest, type Wallet } from './wallet.ts'
export { accountsFrom, readAccountKeys } from './wallets/account-export.ts'
export type { Account, Accounts, Adapter } from './wallets/adapter.ts'
export { browserWallets } from './wallets/browser-wallets.ts'
export { type Diagnosis, examineWallet, flowsBy } from './wallets/doctor.ts'
export { FLOWS, type Flow, KINDS, type Kind } from './wallets/flows.ts'
export { withOrigins } from './wallets/origins.ts'
export { walletOf } from './wallets/wallet-of.ts'
