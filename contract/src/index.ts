import { createAuthChallenge, getMe, verifyAuthChallenge } from './auth.ts'
import {
  cancelCollectionWideOffer,
  listCollectionOfferBook,
  listMySentCollectionOffers,
  preflightCollectionOfferFill,
  preflightCollectionWideOffer,
  previewCollectionOfferReplacementWarning,
  previewCollectionOfferTarget,
  submitCollectionOfferFill,
  submitCollectionWideOffer,
} from './collection-offers.ts'
import { listCollectionFloorStats, listCollectionInscriptions } from './collections.ts'
import {
  preflightCounterOffer,
  preflightCounterOfferAcceptance,
  rejectCounterOffer,
  submitCounterOffer,
  submitCounterOfferAcceptance,
} from './counters.ts'
import {
  listMyEscrows,
  preflightMove,
  preflightReclaim,
  preflightRelist,
  submitMove,
  submitReclaim,
  submitRelist,
} from './escrows.ts'
import { delistListing, listListings, preflightListing, submitListing } from './listings.ts'
import { listMyOffers } from './my-offers.ts'
import {
  cancelOffer,
  declineBids,
  listInscriptionOfferHistory,
  listInscriptionOffers,
  preflightCollectionOffer,
  preflightOfferAcceptance,
  rejectOffer,
  submitCollectionOffer,
  submitOfferAcceptance,
} from './offers.ts'
import { listTradeProposals } from './proposals.ts'
import { preflightPurchase, submitPurchase } from './purchases.ts'
import { getEligibility, getMarketKeys, getOrder, getReceipt, getStatus } from './record.ts'
import { listSales } from './sales.ts'

/** All API operations by id. */
export const operations = {
  createAuthChallenge,
  verifyAuthChallenge,
  getMe,
  listCollectionFloorStats,
  listCollectionInscriptions,
  listListings,
  preflightListing,
  submitListing,
  delistListing,
  preflightPurchase,
  submitPurchase,
  listSales,
  listTradeProposals,
  listMyOffers,
  listInscriptionOffers,
  listInscriptionOfferHistory,
  preflightCollectionOffer,
  submitCollectionOffer,
  cancelOffer,
  rejectOffer,
  declineBids,
  preflightOfferAcceptance,
  submitOfferAcceptance,
  preflightCounterOffer,
  submitCounterOffer,
  rejectCounterOffer,
  preflightCounterOfferAcceptance,
  submitCounterOfferAcceptance,
  listCollectionOfferBook,
  listMySentCollectionOffers,
  previewCollectionOfferTarget,
  previewCollectionOfferReplacementWarning,
  preflightCollectionWideOffer,
  submitCollectionWideOffer,
  cancelCollectionWideOffer,
  preflightCollectionOfferFill,
  submitCollectionOfferFill,
  getOrder,
  getReceipt,
  getEligibility,
  getMarketKeys,
  getStatus,
  listMyEscrows,
  preflightRelist,
  submitRelist,
  preflightMove,
  submitMove,
  preflightReclaim,
  submitReclaim,
}

export type Operations = typeof operations
export type OperationId = keyof Operations
