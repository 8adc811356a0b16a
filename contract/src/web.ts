import { Type } from 'typebox'
import {
  cancelAcceptance,
  listAcceptances,
  preflightAcceptance,
  preflightSettlement,
  rejectAcceptance,
  submitAcceptance,
  submitSettlement,
} from './acceptances.ts'
import { createAuthChallenge, MeResponse, verifyAuthChallenge } from './auth.ts'
import { Nullable, OneOf } from './choices.ts'
import { ValidityHours } from './duration-schemas.ts'
import { operations } from './index.ts'
import { type Operation, operation, operationsWith } from './operation.ts'
import { Pagination, pageQuery } from './paging.ts'
import { OwnProposal, proposedTerms } from './proposals.ts'
import { DateTime, Text, Txid, Uuid, WalletBindingRequest, WalletPublicKey } from './scalars.ts'
import { SpendableUtxos } from './signing.ts'
import { markInboxRead } from './storefront/inbox.ts'
import { storefrontQuotes, storefrontReads } from './storefront.ts'

const ofSession = operationsWith({ area: 'Session', token: true, bucket: 'web-reads' })

/**
 * The storefront's API, below `/web/v1`: cookie sessions for this server's pages, and more reads. Accepts only cookies; the API accepts
 * only bearer tokens.
 */
export const beginWebSignIn = ofSession('beginWebSignIn', 'POST /session/challenge', {
  summary: 'Start a storefront sign-in. Returns one challenge per address that must sign.',
  body: createAuthChallenge.body,
  answer: createAuthChallenge.answer,
  statuses: [400, 403, 409, 429, 500],
  token: false,
  bucket: 'auth-challenge',
})

export const openWebSession = ofSession('openWebSession', 'POST /session', {
  summary: 'Finish a storefront sign-in with BIP-322 signatures. Sets a session cookie. Requires no funding.',
  body: verifyAuthChallenge.body,
  answer: Type.Object({ ...MeResponse.properties, expiresAt: DateTime }, { title: 'WebSessionResponse' }),
  statuses: [400, 401, 403, 404, 409, 410, 429, 500],
  token: false,
  secret: true,
  bucket: 'auth-verify',
})

export const getWebSession = ofSession('getWebSession', 'GET /session', {
  summary: 'The signed-in profile.',
  answer: MeResponse,
  statuses: [401, 403, 429, 500],
})

export const endWebSession = ofSession('endWebSession', 'POST /session/end', {
  summary: 'Sign out. Ends the session on all servers.',
  answer: Type.Object({ ended: Type.Boolean() }, { title: 'WebSessionEnded' }),
  statuses: [401, 403, 429, 500],
})

const WalletSession = Type.Object(
  {
    sessionId: Uuid,
    surface: OneOf('api', 'web'),
    client: Nullable(Text),
    startedAt: DateTime,
    lastUsedAt: DateTime,
    expiresAt: DateTime,
    isCurrent: Type.Boolean(),
  },
  { title: 'WalletSession', additionalProperties: false },
)

export const listWalletSessions = ofSession('listWalletSessions', 'GET /sessions', {
  summary: "The wallet's open storefront and API sessions, last used first.",
  description: 'client is derived from the User-Agent at sign-in. lastUsedAt is accurate to one minute.',
  answer: Type.Object({ sessions: Type.Array(WalletSession) }, { title: 'WalletSessionsResponse' }),
  statuses: [401, 403, 429, 500],
})

export const endWalletSession = ofSession('endWalletSession', 'POST /sessions/{sessionId}/end', {
  summary: 'End a session. All servers reject its cookie or bearer token within a second.',
  params: Type.Object({ sessionId: Uuid }),
  answer: Type.Object({ ended: Type.Boolean() }, { title: 'WalletSessionEnded' }),
  statuses: [400, 401, 403, 404, 429, 500],
})

export const endWalletSessions = ofSession('endWalletSessions', 'POST /sessions/end', {
  summary: 'End all sessions of the wallet, including bearer tokens and the current session.',
  answer: Type.Object({ endedCount: Type.Integer({ minimum: 0 }) }, { title: 'WalletSessionsEnded' }),
  statuses: [401, 403, 429, 500],
})

/** A transaction with one taproot input (64-byte witness) and one taproot output. */
const EXIT = `02000000000101${'11'.repeat(32)}0000000000fdffffff011027000000000000225120${'22'.repeat(32)}0140${'00'.repeat(64)}00000000`

const ownTransaction = {
  ...WalletBindingRequest.properties,
  transaction: Type.String({
    pattern: '^([0-9a-f]{2})+$',
    minLength: 20,
    maxLength: 200_000,
    examples: [EXIT],
  }),
}

export const sendExit = operation({
  id: 'sendExit',
  method: 'POST',
  path: '/exits',
  area: 'Listings',
  summary: "Broadcast an exit: the owner's withdrawal of inscriptions from escrow without the market.",
  description: 'An exit is an ordinary transaction, which any other node accepts too.',
  body: Type.Object(ownTransaction, { title: 'ExitRequest', additionalProperties: false }),
  answer: Type.Object({ txid: Txid }, { title: 'ExitResponse' }),
  statuses: [400, 401, 403, 404, 409, 429, 500, 503],
  token: true,
  bucket: 'writes',
  whileBehind: true,
})

export const sendSplit = operation({
  id: 'sendSplit',
  method: 'POST',
  path: '/splits',
  area: 'Listings',
  summary: "Broadcast a split: the owner's transaction that moves the contents of a coin to separate coins.",
  description:
    'Every output must pay an address of the wallet; a runestone is allowed. Any other node accepts a split too.',
  body: Type.Object(ownTransaction, { title: 'SplitRequest', additionalProperties: false }),
  answer: Type.Object({ txid: Txid }, { title: 'SplitResponse' }),
  statuses: [400, 401, 403, 404, 409, 429, 500, 503],
  token: true,
  bucket: 'writes',
  whileBehind: true,
})

const ProposalRequest = Type.Object(
  {
    ...WalletBindingRequest.properties,
    visibility: OneOf('public', 'private'),
    ...proposedTerms,
    validityHours: Type.Optional(ValidityHours),
    paymentPublicKey: Type.Optional(WalletPublicKey),
    spendableUtxos: Type.Optional(SpendableUtxos),
  },
  { title: 'ProposalRequest', additionalProperties: false },
)

const ofProposal = operationsWith({
  area: 'P2P proposals',
  answer: OwnProposal,
  statuses: [400, 401, 403, 404, 409, 429, 500],
  token: true,
  bucket: 'writes',
})

export const createProposal = ofProposal('createProposal', 'POST /proposals', {
  summary: 'Propose a trade: inscriptions and sats for inscriptions and sats. Locks and signs nothing.',
  description:
    'A proposal that offers sats requires paymentPublicKey and spendableUtxos, because the acceptor signs a swap that spends the coins. The proposal cannot be accepted while a selected coin is spent.',
  body: ProposalRequest,
})

export const cancelProposal = ofProposal('cancelProposal', 'POST /proposals/{proposalId}/cancel', {
  summary: 'Cancel an active proposal.',
  params: Type.Object({ proposalId: Uuid }),
  whileBehind: true,
})

export const listOwnProposals = operation({
  id: 'listOwnProposals',
  method: 'GET',
  path: '/proposals',
  area: 'P2P proposals',
  summary: "The session's proposals in any state, newest first.",
  query: Type.Object(pageQuery(50)),
  answer: Type.Object(
    { proposals: Type.Array(OwnProposal), pagination: Pagination },
    { title: 'OwnProposalsResponse', additionalProperties: false },
  ),
  statuses: [400, 401, 403, 429, 500],
  token: true,
  bucket: 'web-reads',
})

export const getProposal = operation({
  id: 'getProposal',
  method: 'GET',
  path: '/proposals/{proposalId}',
  area: 'P2P proposals',
  summary: 'A proposal in any state. A private proposal is visible to anyone with its id.',
  params: Type.Object({ proposalId: Uuid }),
  answer: OwnProposal,
  statuses: [400, 404, 429, 500],
  token: false,
  bucket: 'web-reads',
})

/** API operations that the storefront does not have. */
const apiAlone: readonly string[] = ['createAuthChallenge', 'verifyAuthChallenge']

/** Operations whose session cookie is optional. Without it, they return only public data. */
export const visitorReads: ReadonlySet<string> = new Set([
  'listCollectionFloorStats',
  'listCollectionInscriptions',
  'listListings',
  'listSales',
  'listTradeProposals',
  'listInscriptionOffers',
  'listInscriptionOfferHistory',
  'listCollectionOfferBook',
  'previewCollectionOfferTarget',
  ...Object.keys(storefrontQuotes),
])

export const sharedOperations: readonly Operation[] = Object.values<Operation>(operations).filter(
  ({ id, root }) => !root && !apiAlone.includes(id),
)

/** Storefront-only operations by id. */
export const webOperations = {
  beginWebSignIn,
  openWebSession,
  getWebSession,
  endWebSession,
  listWalletSessions,
  endWalletSession,
  endWalletSessions,
  sendExit,
  sendSplit,
  markInboxRead,
  listOwnProposals,
  createProposal,
  cancelProposal,
  getProposal,
  preflightAcceptance,
  submitAcceptance,
  listAcceptances,
  cancelAcceptance,
  rejectAcceptance,
  preflightSettlement,
  submitSettlement,
  ...storefrontReads,
  ...storefrontQuotes,
}

export type WebOperations = typeof webOperations
