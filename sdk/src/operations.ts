import type { Operations as ApiOperations } from '@ordbook/contract/index.ts'
import type { AnswerOf, BodyOf, ParamsOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { WebOperations } from '@ordbook/contract/web.ts'

export type Operations = ApiOperations & WebOperations
export type OperationId = keyof Operations

/**
 * Method and path of each operation; the type makes it equal to the contract's. Those of the storefront's surface come last:
 * they are there for a client of `/web/v1` alone.
 */
export const operations: { [Id in OperationId]: `${Operations[Id]['method']} ${Operations[Id]['path']}` } = {
  createAuthChallenge: 'POST /auth/challenge',
  verifyAuthChallenge: 'POST /auth/verify',
  getMe: 'GET /me',
  listCollectionFloorStats: 'GET /collection-stats/floors',
  listCollectionInscriptions: 'GET /collection/{slug}/inscriptions',
  listListings: 'GET /listings',
  preflightListing: 'POST /collection/{slug}/listings/preflight',
  submitListing: 'POST /collection/{slug}/listings/submit',
  delistListing: 'POST /collection/{slug}/listings/delist',
  preflightPurchase: 'POST /collection/{slug}/purchases/preflight',
  submitPurchase: 'POST /collection/{slug}/purchases/submit',
  listSales: 'GET /sales',
  listTradeProposals: 'GET /trading',
  listInscriptionOffers: 'GET /inscriptions/{id}/offers',
  listInscriptionOfferHistory: 'GET /inscriptions/{id}/offers/history',
  preflightCollectionOffer: 'POST /collection/{slug}/offers/preflight',
  submitCollectionOffer: 'POST /collection/{slug}/offers/submit',
  preflightOfferAcceptance: 'POST /inscriptions/{id}/offers/{offerId}/accept/preflight',
  submitOfferAcceptance: 'POST /inscriptions/{id}/offers/{offerId}/accept/submit',
  preflightCounterOffer: 'POST /inscriptions/{id}/offers/{offerId}/counter/preflight',
  submitCounterOffer: 'POST /inscriptions/{id}/offers/{offerId}/counter/submit',
  preflightCounterOfferAcceptance: 'POST /inscriptions/{id}/offers/{offerId}/counter/accept/preflight',
  submitCounterOfferAcceptance: 'POST /inscriptions/{id}/offers/{offerId}/counter/accept/submit',
  listMyOffers: 'GET /me/offers',
  cancelOffer: 'POST /inscriptions/{id}/offers/{offerId}/cancel',
  rejectOffer: 'POST /inscriptions/{id}/offers/{offerId}/reject',
  declineBids: 'POST /inscriptions/{id}/decline-bids',
  rejectCounterOffer: 'POST /inscriptions/{id}/offers/{offerId}/counter/reject',
  listCollectionOfferBook: 'GET /collection/{slug}/collection-offers',
  listMySentCollectionOffers: 'GET /collection/{slug}/my/sent-collection-offers',
  previewCollectionOfferTarget: 'POST /collection/{slug}/collection-offers/target-preview',
  previewCollectionOfferReplacementWarning: 'POST /collection/{slug}/collection-offers/replacement-warning',
  preflightCollectionWideOffer: 'POST /collection/{slug}/collection-offers/preflight',
  submitCollectionWideOffer: 'POST /collection/{slug}/collection-offers/submit',
  cancelCollectionWideOffer: 'POST /collection/{slug}/collection-offers/{offerId}/cancel',
  preflightCollectionOfferFill: 'POST /collection/{slug}/collection-offers/{offerId}/fill/preflight',
  submitCollectionOfferFill: 'POST /collection/{slug}/collection-offers/{offerId}/fill/submit',
  getOrder: 'GET /orders/{listingId}',
  getReceipt: 'GET /receipts/{txid}',
  getEligibility: 'GET /eligibility/{txid}',
  getMarketKeys: 'GET /keys',
  getStatus: 'GET /status',
  listMyEscrows: 'GET /escrows',
  preflightRelist: 'POST /escrows/relist/preflight',
  submitRelist: 'POST /escrows/relist/submit',
  preflightMove: 'POST /escrows/move/preflight',
  submitMove: 'POST /escrows/move/submit',
  preflightReclaim: 'POST /escrows/reclaim/preflight',
  submitReclaim: 'POST /escrows/reclaim/submit',
  beginWebSignIn: 'POST /session/challenge',
  openWebSession: 'POST /session',
  getWebSession: 'GET /session',
  endWebSession: 'POST /session/end',
  listWalletSessions: 'GET /sessions',
  endWalletSession: 'POST /sessions/{sessionId}/end',
  endWalletSessions: 'POST /sessions/end',
  sendExit: 'POST /exits',
  listOwnProposals: 'GET /proposals',
  createProposal: 'POST /proposals',
  getProposal: 'GET /proposals/{proposalId}',
  cancelProposal: 'POST /proposals/{proposalId}/cancel',
  preflightAcceptance: 'POST /proposals/{proposalId}/acceptances/preflight',
  submitAcceptance: 'POST /proposals/{proposalId}/acceptances',
  listAcceptances: 'GET /acceptances',
  cancelAcceptance: 'POST /acceptances/{acceptanceId}/cancel',
  rejectAcceptance: 'POST /acceptances/{acceptanceId}/reject',
  preflightSettlement: 'POST /acceptances/{acceptanceId}/settle/preflight',
  submitSettlement: 'POST /acceptances/{acceptanceId}/settle',
  getMarket: 'GET /market',
  browseCollections: 'GET /collections',
  getCollection: 'GET /collections/{slug}',
  browseItems: 'GET /collections/{slug}/items',
  listTraits: 'GET /collections/{slug}/traits',
  getCollectionHistory: 'GET /collections/{slug}/history',
  listActivity: 'GET /activity',
  getInscription: 'GET /inscriptions/{id}',
  getSettlement: 'GET /settlements/{txid}',
  listItems: 'GET /items',
  listCarries: 'GET /carries',
  getBestBid: 'GET /inscriptions/{id}/best-bid',
  listHoldings: 'GET /holdings/{address}',
  listOwnListings: 'GET /own-listings',
  listCoins: 'GET /coins',
  search: 'GET /search',
  listMatchingProposals: 'GET /matching-proposals',
  getDepth: 'GET /collections/{slug}/depth',
  listBestBids: 'GET /best-bids',
  listFittingItems: 'GET /collections/{slug}/collection-offers/{offerId}/fitting',
  quotePurchase: 'POST /collection/{slug}/purchases/quote',
  quoteListing: 'POST /collection/{slug}/listings/quote',
  quoteOffers: 'POST /collection/{slug}/offers/quote',
  quoteOfferAcceptance: 'POST /inscriptions/{id}/offers/{offerId}/accept/quote',
  quoteCollectionOffers: 'POST /collection/{slug}/collection-offers/quote',
  quoteFill: 'POST /collection/{slug}/collection-offers/{offerId}/fill/quote',
  quoteCounter: 'POST /inscriptions/{id}/offers/{offerId}/counter/quote',
  quoteCounterAcceptance: 'POST /inscriptions/{id}/offers/{offerId}/counter/accept/quote',
  quoteAcceptance: 'POST /proposals/{proposalId}/acceptances/quote',
  quoteProposal: 'POST /proposals/quote',
}

/** These are at the root of the server, beside the API. */
export const ROOT: ReadonlySet<OperationId> = new Set([
  'getOrder',
  'getReceipt',
  'getEligibility',
  'getMarketKeys',
  'getStatus',
])

export type Answer<Id extends OperationId> = AnswerOf<Operations[Id]>
export type Body<Id extends OperationId> = BodyOf<Operations[Id]>
export type Input<Id extends OperationId> = {
  params?: ParamsOf<Operations[Id]>
  query?: QueryOf<Operations[Id]>
  body?: BodyOf<Operations[Id]>
}
