import type { Answer } from './operations.ts'

/** Named types of the market's responses: results of trades, preflights to verify, and rows of reads. */

export interface ListingResult extends Answer<'submitListing'> {
  /** Previous listings of the same coins, which have ended, as the market reports them. */
  replaces: { inscriptionId: string; listingId: string }[]
}
export interface DelistResult extends Answer<'delistListing'> {}
export interface PurchaseResult extends Answer<'submitPurchase'> {
  /** Sats that left the buyer's coins. */
  costSats: number
}
export interface OfferResult extends Answer<'submitCollectionOffer'> {
  /** Sats that would leave the buyer's coins, for each item. */
  costsSats: number[]
}
export interface OfferAction extends Answer<'cancelOffer'> {}
export interface BidsDeclined extends Answer<'declineBids'> {}
export interface SaleResult extends Answer<'submitOfferAcceptance'> {
  /** The seller's proceeds in sats. */
  payoutSats: number
}
export interface CounterResult extends Answer<'submitCounterOffer'> {}
export interface CounterPurchaseResult extends Answer<'submitCounterOfferAcceptance'> {
  /** Sats that left the buyer's coins. */
  costSats: number
}
/** Verified facts of a collection or trait offer. The maker keeps them for `verifyFill`. */
export interface KeptOffer {
  offerCriteriaHash: string
  eligibleRoot: string
  /** Script of the maker's ordinals address. */
  buyerReceiveScriptHex: string
  fundingParentTxid: string
  priceSats: number
}
export interface BidResult extends Answer<'submitCollectionWideOffer'> {
  /** One per offer, in the same order. */
  kept: KeptOffer[]
}
export interface BidCancelled extends Answer<'cancelCollectionWideOffer'> {}
export interface FillResult extends Answer<'submitCollectionOfferFill'> {
  /** The seller's proceeds in sats. */
  payoutSats: number
}
export interface RelistResult extends Answer<'submitRelist'> {}
export interface ReclaimResult extends Answer<'submitReclaim'> {}
export interface MoveResult extends Answer<'submitMove'> {
  /** Sats that left the owner's coins. */
  costSats: number
}
export interface AcceptanceResult extends Answer<'submitAcceptance'> {}
export interface SwapResult extends Answer<'submitSettlement'> {}
export interface OwnProposal extends Answer<'createProposal'> {}
export interface Session extends Answer<'verifyAuthChallenge'> {}
export interface WebSession extends Answer<'openWebSession'> {}

export interface ListingPreflight extends Answer<'preflightListing'> {}
export interface PurchasePreflight extends Answer<'preflightPurchase'> {}
export interface OfferPreflight extends Answer<'preflightCollectionOffer'> {}
export interface SalePreflight extends Answer<'preflightOfferAcceptance'> {}
export interface CounterPreflight extends Answer<'preflightCounterOffer'> {}
export interface CounterPurchasePreflight extends Answer<'preflightCounterOfferAcceptance'> {}
export interface BidPreflight extends Answer<'preflightCollectionWideOffer'> {}
export interface FillPreflight extends Answer<'preflightCollectionOfferFill'> {}
export interface RelistPreflight extends Answer<'preflightRelist'> {}
export interface ReclaimPreflight extends Answer<'preflightReclaim'> {}
export interface MovePreflight extends Answer<'preflightMove'> {}
export interface AcceptancePreflight extends Answer<'preflightAcceptance'> {}
export interface SwapPreflight extends Answer<'preflightSettlement'> {}

type Row<Rows extends readonly unknown[]> = Rows[number]

export interface Listing extends Row<Answer<'listListings'>['listings']> {}
export interface CollectionItem extends Row<Answer<'listCollectionInscriptions'>['items']> {}
export interface FloorStat extends Row<Answer<'listCollectionFloorStats'>['data']> {}
export interface Sale extends Row<Answer<'listSales'>['sales']> {}
export interface Proposal extends Row<Answer<'listTradeProposals'>['proposals']> {}
export interface InscriptionOffer extends Row<Answer<'listInscriptionOffers'>['offers']> {}
export interface CollectionOffer extends Row<Answer<'listCollectionOfferBook'>['rows']> {}
export interface OwnBid extends Row<Answer<'listOwnBids'>['bids']> {}
export interface Escrow extends Row<Answer<'listMyEscrows'>['escrows']> {}
export interface Receipt extends Answer<'getReceipt'> {}
export interface MarketStatus extends Answer<'getStatus'> {}
