import { createAuthChallenge, getMe, verifyAuthChallenge } from './auth.ts'
import { listCollectionFloorStats, listCollectionInscriptions } from './collections.ts'
import { delistListing, listListings, preflightListing, submitListing } from './listings.ts'
import { listTradeProposals } from './proposals.ts'
import { preflightPurchase, submitPurchase } from './purchases.ts'
import { getOrder, getReceipt } from './record.ts'
import { listSales } from './sales.ts'

/** Every operation of the API, by its id. */
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
  getOrder,
  getReceipt,
}

export type Operations = typeof operations
export type OperationId = keyof Operations
