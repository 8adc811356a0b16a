/** The public face of the SDK. */

export { checkListing, checkPurchase, type ListingAgreement, type PurchaseAgreement } from './check.ts'
export { type BidAgreement, checkBids, checkFill } from './check-collection-offers.ts'
export {
  type CounterAgreement,
  checkAcceptance,
  checkCounter,
  checkCounterAcceptance,
  checkOffers,
  type OfferAgreement,
  type SaleAgreement,
} from './check-offers.ts'
export { Client } from './client.ts'
export { bid, cancelBid, fill, prepareBid, prepareFill } from './collection-offers.ts'
export { type Effects, effectsOf, type Piece } from './effects.ts'
export { ApiError, CheckFailed, OverBudget, WalletRefused } from './errors.ts'
export { exitBid, exitEscrow } from './exit.ts'
export {
  acceptCounter,
  acceptOffer,
  cancelOffer,
  counter,
  offer,
  prepareAcceptance,
  prepareCounter,
  prepareCounterAcceptance,
  prepareOffer,
  rejectCounter,
  rejectOffer,
} from './offers.ts'
export { type ChainSource, coreSource, type Verified, verifyReceipt } from './receipt.ts'
export { signIn, signInWeb } from './sign-in.ts'
export {
  acceptProposal,
  checkSwap,
  prepareAcceptanceOf,
  prepareSettlement,
  propose,
  type SwapAgreement,
  settle,
} from './swaps.ts'
export { sweep } from './sweep.ts'
export { buy, coinOfItem, delist, list, prepareListing, preparePurchase, type Trader } from './trade.ts'
export { verifyFill } from './verify-fill.ts'
export { type InputToSign, LocalWallet, type SigningRequest, type Wallet } from './wallet.ts'
