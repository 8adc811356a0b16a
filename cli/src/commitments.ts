import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Answer, Escrow, OwnBid } from '@ordbook/sdk'
import { readSentOffers, type SentOffer } from './offers.ts'
import { readPages } from './pages.ts'
import type { TradeSession } from './trade-session.ts'

/** An order of the wallet, or one that it can respond to. */
export interface Commitment {
  kind:
    | 'listing'
    | 'offer'
    | 'received-offer'
    | 'counter'
    | 'received-counter'
    | 'collection-offer'
    | 'trait-offer'
    | 'proposal'
    | 'acceptance'
    | 'received-acceptance'
    | 'escrow'
  /** Id of the order; outpoint of an escrow coin. */
  id: string
  /** Item, collection with traits, or counterparty. */
  of: string
  inscriptionIds: string[]
  collectionSlug: string | null
  priceSats: number | null
  /** Sats of the wallet that the order can spend or that it holds, without network fees. Orders may share coins. */
  boundSats: number
  /** Null if the order does not expire. */
  endsAt: string | null
}

type Listing = Answer<'listOwnListings'>['listings'][number]
type Acceptance = Answer<'listAcceptances'>['acceptances'][number]
type Proposal = Answer<'listOwnProposals'>['proposals'][number]

export interface Orders {
  commitments: Commitment[]
  offers: SentOffer[]
  escrows: Escrow[]
}

/** Reads all active orders of the session's wallets. Throws ApiError and Failure. */
export async function readOrders({ client }: TradeSession): Promise<Orders> {
  const [listings, bids, sent, owned, proposals, accepted, received, escrows] = await Promise.all([
    readPages(
      (from) => client.call('listOwnListings', { query: { limit: 100, ...from } }),
      (page) => page.listings.filter(({ endedAt }) => endedAt === null),
    ),
    client.call('listOwnBids'),
    readSentOffers({ client }),
    readPages(
      (from) => client.call('listMyOffers', { query: { view: 'owned', ...from } }),
      (page) => (page.view === 'owned' ? page.groups : []),
    ),
    readPages(
      (from) => client.call('listOwnProposals', { query: { limit: 100, ...from } }),
      (page) => page.proposals.filter(({ state }) => state === 'active'),
    ),
    acceptancesOf(client, 'sent'),
    acceptancesOf(client, 'received'),
    readPages(
      (from) => client.call('listMyEscrows', { query: { limit: 100, ...from } }),
      (page) => page.escrows,
    ),
  ])
  return {
    commitments: [
      ...listings.map(ofListing),
      ...sent.map(ofOffer),
      ...owned.flatMap(({ offers, sentCounters }) => [...offers, ...sentCounters].map(ofOffer)),
      ...bids.bids.map(ofBid),
      ...proposals.map(ofProposal),
      ...accepted.map((acceptance) => ofAcceptance('acceptance', acceptance)),
      ...received.map((acceptance) => ofAcceptance('received-acceptance', acceptance)),
      ...escrows.map(ofEscrow),
    ],
    offers: sent,
    escrows,
  }
}

const acceptancesOf = (client: TradeSession['client'], view: 'sent' | 'received') =>
  readPages(
    (from) => client.call('listAcceptances', { query: { view, limit: 100, ...from } }),
    (page) => page.acceptances.filter(({ state }) => state === 'active'),
  )

const ofListing = ({ listingId, name, inscriptionId, ...row }: Listing): Commitment => ({
  kind: 'listing',
  id: listingId,
  of: name,
  inscriptionIds: [inscriptionId],
  collectionSlug: row.collectionSlug,
  priceSats: row.priceSats,
  boundSats: 0,
  endsAt: row.expiresAt,
})

function ofOffer(row: SentOffer): Commitment {
  const name = row.kind === 'buyer_offer' ? 'offer' : 'counter'
  return {
    kind: row.side === 'sent' ? name : `received-${name}`,
    id: row.id,
    of: row.inscriptionTitle ?? `${row.collectionName ?? 'Inscription'} #${row.inscriptionNumber}`,
    inscriptionIds: [row.inscriptionId],
    collectionSlug: row.collectionSlug,
    priceSats: row.priceSats,
    boundSats: row.side === 'sent' && name === 'offer' ? row.buyerPayTotalSats : 0,
    endsAt: row.expiresAt,
  }
}

const ofBid = ({ id, target, collectionSlug, priceSats, totalSats, expiresAt }: OwnBid): Commitment => ({
  kind: target.kind === 'all' ? 'collection-offer' : 'trait-offer',
  id,
  of:
    target.kind === 'all'
      ? collectionSlug
      : `${collectionSlug}: ${target.traits.map(({ type, values }) => `${type}=${values.join('|')}`).join(', ')}`,
  inscriptionIds: [],
  collectionSlug,
  priceSats,
  boundSats: totalSats,
  endsAt: expiresAt,
})

const ofProposal = (proposal: Proposal): Commitment => ({
  kind: 'proposal',
  id: proposal.id,
  of: [
    ...proposal.wantedLegs.map(({ quantity, collection }) => `${quantity} of ${collection.slug}`),
    ...(proposal.requestedBtcSats > 0 ? ['sats'] : []),
  ].join(', '),
  inscriptionIds: proposal.offeredItems.map(({ inscriptionId }) => inscriptionId),
  collectionSlug: null,
  priceSats: proposal.requestedBtcSats || null,
  boundSats: proposal.offeredBtcSats,
  endsAt: proposal.expiresAt,
})

/** `boundSats` of a received acceptance is in its proposal. */
const ofAcceptance = (
  kind: 'acceptance' | 'received-acceptance',
  { acceptanceId, acceptorAddress, proposal, items, acceptorNetSats, expiresAt }: Acceptance,
): Commitment => ({
  kind,
  id: acceptanceId,
  of: kind === 'acceptance' ? proposal.creatorAddress : acceptorAddress,
  inscriptionIds: items
    .filter(({ from }) => (from === 'acceptor') === (kind === 'acceptance'))
    .map(({ inscriptionId }) => inscriptionId),
  collectionSlug: null,
  priceSats: null,
  boundSats: kind === 'acceptance' ? Math.max(0, -acceptorNetSats) : 0,
  endsAt: expiresAt,
})

const ofEscrow = (escrow: Escrow): Commitment => ({
  kind: 'escrow',
  id: formatOutpoint(escrow),
  of: escrow.inscriptionIds.join(', '),
  inscriptionIds: escrow.inscriptionIds,
  collectionSlug: null,
  priceSats: escrow.listing?.priceSats ?? null,
  boundSats: escrow.valueSats,
  endsAt: null,
})
