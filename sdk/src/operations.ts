import type { OperationId, Operations } from '@ordbook/contract/index.ts'
import type { AnswerOf, BodyOf, ParamsOf, QueryOf } from '@ordbook/contract/operation.ts'

/** Method and path of each operation; the type makes it equal to the contract's. */
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
  getOrder: 'GET /orders/{listingId}',
  getReceipt: 'GET /receipts/{txid}',
}

/** These are at the root of the server, beside the API. */
export const ROOT: ReadonlySet<OperationId> = new Set(['getOrder', 'getReceipt'])

export type Answer<Id extends OperationId> = AnswerOf<Operations[Id]>
export type Body<Id extends OperationId> = BodyOf<Operations[Id]>
export type Input<Id extends OperationId> = {
  params?: ParamsOf<Operations[Id]>
  query?: QueryOf<Operations[Id]>
  body?: BodyOf<Operations[Id]>
}
