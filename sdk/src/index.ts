/** The public face of the SDK. */

export { checkListing, checkPurchase, type ListingAgreement, type PurchaseAgreement } from './check.ts'
export { Client } from './client.ts'
export { ApiError, CheckFailed, OverBudget, WalletRefused } from './errors.ts'
export { exitEscrow } from './exit.ts'
export { type ChainSource, coreSource, type Verified, verifyReceipt } from './receipt.ts'
export { signIn } from './sign-in.ts'
export { sweep } from './sweep.ts'
export { buy, coinOfItem, delist, list, prepareListing, preparePurchase, type Trader } from './trade.ts'
export { LocalWallet, type Wallet } from './wallet.ts'
