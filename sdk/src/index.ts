/** The public face of the SDK. */

export { checkListing, checkPurchase, type ListingAgreement, type PurchaseAgreement } from './check.ts'
export { Client } from './client.ts'
export { ApiError, CheckFailed, WalletRefused } from './errors.ts'
export { signIn } from './sign-in.ts'
export { buy, coinOfItem, delist, list, prepareListing, preparePurchase, type Trader } from './trade.ts'
export { LocalWallet, type Wallet } from './wallet.ts'
