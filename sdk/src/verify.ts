/**
 * Verifier for any wallet, without requests, keys or state. Each `verify…` rebuilds the transactions of a response from the user's
 * agreement and the market's keys, and returns a plan to sign. `takeSignatures` extracts the plan's signatures. See
 * docs/how-to/verify-in-a-wallet.md.
 */

export { BadSignature, CheckFailed, OverBudget, OverNetworkFee } from './errors.ts'
export { type ExitPlan, type ExitTerms, finishExit, planExit } from './exit-escrow.ts'
export type {
  AcceptancePreflight,
  BidPreflight,
  CounterPreflight,
  CounterPurchasePreflight,
  FillPreflight,
  ListingPreflight,
  MovePreflight,
  OfferPreflight,
  PurchasePreflight,
  ReclaimPreflight,
  RelistPreflight,
  SalePreflight,
  SwapPreflight,
} from './results.ts'
export { finishSplit, planSplit, type SplitAgreement, type SplitPlan } from './split.ts'
export { type BidAgreement, verifyBids, verifyFillPreflight } from './verify/collection-offer.ts'
export { type CounterAgreement, verifyCounter, verifyCounterAcceptance } from './verify/counter.ts'
export {
  type MoveAgreement,
  type OwnEscrow,
  type RelistAgreement,
  verifyMove,
  verifyReclaim,
  verifyRelist,
} from './verify/escrow.ts'
export { escrowFormOf, type ListingAgreement, verifyListing } from './verify/listing.ts'
export { type OfferAgreement, type SaleAgreement, verifyAcceptance, verifyOffers } from './verify/offer.ts'
export type { InscriptionCoin, MarketKeys, OwnCoin, Owner } from './verify/owner.ts'
export {
  type CostPlan,
  type OfferPlan,
  type Plan,
  type PlannedStep,
  type SalePlan,
  type SwapPlan,
  takeSignatures,
} from './verify/plan.ts'
export { type Prompt, promptsOf } from './verify/prompts.ts'
export { type PurchaseAgreement, verifyPurchase } from './verify/purchase.ts'
export {
  type AcceptanceAgreement,
  type SwapAgreement,
  verifySwapAcceptance,
  verifySwapSettlement,
} from './verify/swap.ts'
