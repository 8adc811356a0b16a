export { DURATION_DAYS, VALIDITY_HOURS } from '@ordbook/contract/durations.ts'
export { assertAnswerSchema } from './answer-forms.ts'
export { type CallOptions, Client, type ClientOptions } from './client.ts'
export { bid, cancelBid, fill, prepareBid, prepareFill } from './collection-offers.ts'
export { type CoreNode, coinByNode, coreNode } from './core-node.ts'
export { coreRpc, type NodeOptions, NodeRefused } from './core-rpc.ts'
export { coreWallet } from './core-wallet.ts'
export { type Effects, effectsOf, type Piece } from './effects.ts'
export { enter } from './enter.ts'
export {
  ApiError,
  BelowTopOffer,
  CannotSplit,
  ConnectionFailed,
  GoesAlong,
  InvalidResponse,
  isRetryable,
  OrdbookError,
  OutsideAgreement,
  OverNetworkFee,
  type SignatureFault,
  SubmitUncertain,
  TraceTooLong,
  WalletDeclined,
  WalletRefused,
  WalletUnconnected,
} from './errors.ts'
export { moveEscrows, reclaim, relist } from './escrows.ts'
export { events, type MarketEvent } from './events.ts'
export { exitBid } from './exit-bid.ts'
export { escrowsAt, paymentsAt } from './exit-coins.ts'
export { exitEscrow } from './exit-escrow.ts'
export { fromAccount, fromMnemonic } from './hd-wallet.ts'
export { keysOf } from './keys.ts'
export {
  acceptCounter,
  acceptOffer,
  cancelOffer,
  counter,
  declineBids,
  offer,
  prepareAcceptance,
  prepareCounter,
  prepareCounterAcceptance,
  prepareOffer,
  rejectCounter,
  rejectOffer,
} from './offers.ts'
export type { Answer, Body, Input, OperationId } from './operations.ts'
export { type CoinProof, listCoins, proveByOrd, proveByWallet } from './payment-coins.ts'
export { type KeyStore, pinMarketKeys } from './pinned-keys.ts'
export { contentsByNode, type ProvenCoins, proveCoins } from './plain-coins.ts'
export { type ChainSource, coreSource, type Verified, verifyReceipt } from './receipt.ts'
export type {
  AcceptanceResult,
  BidCancelled,
  BidResult,
  BidsDeclined,
  CollectionItem,
  CollectionOffer,
  CounterPurchaseResult,
  CounterResult,
  DelistResult,
  Escrow,
  FillResult,
  FloorStat,
  InscriptionOffer,
  KeptOffer,
  Listing,
  ListingResult,
  MarketStatus,
  MoveResult,
  OfferAction,
  OfferResult,
  OwnBid,
  OwnProposal,
  Proposal,
  PurchaseResult,
  Receipt,
  ReclaimResult,
  RelistResult,
  Sale,
  SaleResult,
  Session,
  SwapResult,
  WebSession,
} from './results.ts'
export { findBinding, signIn, signInWeb } from './sign-in.ts'
export { signTogether } from './sign-together.ts'
export { split } from './split.ts'
export { acceptProposal, prepareAcceptanceOf, prepareSettlement, propose, settle } from './swaps.ts'
export { sweep } from './sweep.ts'
export { buy, coinOfItem, delist, list, prepareListing, preparePurchase } from './trade.ts'
export type { Trader } from './trader.ts'
export * from './verify.ts'
export { verifyFill } from './verify-fill.ts'
export * from './wallets.ts'
