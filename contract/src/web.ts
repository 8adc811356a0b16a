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
import { ValidityHours } from './durations.ts'
import { operations } from './index.ts'
import { type Operation, operation, operationsWith } from './operation.ts'
import { Pagination, pageQuery } from './paging.ts'
import { OwnProposal, proposedTerms } from './proposals.ts'
import { DateTime, Text, Txid, Uuid, WalletBindingRequest, WalletPublicKey } from './scalars.ts'
import { SpendableUtxos } from './signing.ts'
import { storefrontQuotes, storefrontReads } from './storefront.ts'

/** Defines an operation on sessions: the caller's own, except for sign-in. */
const ofSession = operationsWith({ area: 'Session', token: true, bucket: 'web-reads' })

/**
 * The storefront's surface, below `/web/v1`: a cookie session for the pages of this server, and more reads. Cookies are accepted only here,
 * bearer tokens only by the API.
 */
export const beginWebSignIn = ofSession('beginWebSignIn', 'POST /session/challenge', {
  summary: 'Start a sign-in of the storefront: one challenge for each address that has to sign.',
  body: createAuthChallenge.body,
  answer: createAuthChallenge.answer,
  statuses: [400, 403, 409, 429, 500],
  token: false,
  bucket: 'auth-challenge',
})

export const openWebSession = ofSession('openWebSession', 'POST /session', {
  summary:
    'Finish the sign-in with BIP-322 signatures; the session comes as a cookie. No funding is asked for.',
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
  summary: 'Sign out: the session is over on every server.',
  answer: Type.Object({ ended: Type.Literal(true) }, { title: 'WebSessionEnded' }),
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
  summary: "The wallet's open sessions, of the storefront and of the API, the last used first.",
  description: 'client is a guess from the User-Agent of the sign-in. lastUsedAt is exact to a minute.',
  answer: Type.Object({ sessions: Type.Array(WalletSession) }, { title: 'WalletSessionsResponse' }),
  statuses: [401, 403, 429, 500],
})

export const endWalletSession = ofSession('endWalletSession', 'POST /sessions/{sessionId}/end', {
  summary: 'End one of the sessions: its cookie or bearer token stops within a second on every server.',
  params: Type.Object({ sessionId: Uuid }),
  answer: Type.Object({ ended: Type.Literal(true) }, { title: 'WalletSessionEnded' }),
  statuses: [400, 401, 403, 404, 429, 500],
})

export const endWalletSessions = ofSession('endWalletSessions', 'POST /sessions/end', {
  summary: 'Sign out everywhere: end every session of the wallet, bearer tokens and this one too.',
  answer: Type.Object({ endedCount: Type.Integer({ minimum: 0 }) }, { title: 'WalletSessionsEnded' }),
  statuses: [401, 403, 429, 500],
})

/** One input, by 64 bytes of witness, into one taproot output. */
const EXIT = `02000000000101${'11'.repeat(32)}0000000000fdffffff011027000000000000225120${'22'.repeat(32)}0140${'00'.repeat(64)}00000000`

export const sendExit = operation({
  id: 'sendExit',
  method: 'POST',
  path: '/exits',
  area: 'Listings',
  summary: 'Send a transaction by which the owner takes inscriptions out of escrow alone.',
  description: 'It is an ordinary transaction: any node takes it as well as this one.',
  body: Type.Object(
    {
      ...WalletBindingRequest.properties,
      transaction: Type.String({
        pattern: '^([0-9a-f]{2})+$',
        minLength: 20,
        maxLength: 200_000,
        examples: [EXIT],
      }),
    },
    { title: 'ExitRequest', additionalProperties: false },
  ),
  answer: Type.Object({ txid: Txid }, { title: 'ExitResponse' }),
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

/** Defines an operation that changes the caller's own proposals. */
const ofProposal = operationsWith({
  area: 'P2P proposals',
  answer: OwnProposal,
  statuses: [400, 401, 403, 404, 409, 429, 500],
  token: true,
  bucket: 'writes',
})

export const createProposal = ofProposal('createProposal', 'POST /proposals', {
  summary:
    'Propose a trade: inscriptions and sats for inscriptions and sats. Nothing is locked or signed by it.',
  description:
    'An offer of sats needs paymentPublicKey and the coins that may pay: the acceptor signs a swap that spends them. While one of those chosen is gone, the proposal waits.',
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
  summary: "The session's own proposals in any state, newest first.",
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
  summary: 'One proposal, in any state; a private one is shown to every client that knows its id.',
  params: Type.Object({ proposalId: Uuid }),
  answer: OwnProposal,
  statuses: [400, 404, 429, 500],
  token: false,
  bucket: 'web-reads',
})

/** Operations that only the API has: its sign-in, and the routes at the root of the server. */
const apiAlone: readonly string[] = ['createAuthChallenge', 'verifyAuthChallenge']

/**
 * The operations of the API are on the storefront's surface too, but for its sign-in, at the same paths and with the cookie.
 * Visitors may call some of them and get public data.
 */
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

export const sharedOperations: readonly Operation[] = Object.values<Operation>(operations)
  .filter((each) => !each.root && !apiAlone.includes(each.id))
  .map((each) => ({ ...each, token: each.token && !visitorReads.has(each.id) }))

/** Operations of the storefront's surface only, by id. */
export const webOperations = {
  beginWebSignIn,
  openWebSession,
  getWebSession,
  endWebSession,
  listWalletSessions,
  endWalletSession,
  endWalletSessions,
  sendExit,
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
