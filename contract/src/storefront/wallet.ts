import { Type } from 'typebox'
import { NonnegativeSats, PositiveSats } from '../amounts.ts'
import { ListingState, Nullable } from '../choices.ts'
import { pageOf, pageQuery } from '../paging.ts'
import { Proposal } from '../proposals.ts'
import { Address, CollectionSlugInput, InscriptionId, Text, Uuid } from '../scalars.ts'
import { SpendableUtxo } from '../signing.ts'
import { Count, inCollection, read } from './read.ts'

const Holding = Type.Object(
  {
    inscriptionId: InscriptionId,
    inscriptionNumber: Nullable(Type.Integer()),
    name: Text,
    ...inCollection,
    topOfferSats: Nullable(PositiveSats),
    listingId: Nullable(Uuid),
    listingState: Nullable(ListingState),
    priceSats: Nullable(PositiveSats),
    traits: Type.Array(Type.Object({ type: Text, value: Text })),
    outpoint: SpendableUtxo,
  },
  { title: 'Holding' },
)

export const listHoldings = read('listHoldings', 'GET /holdings/{address}', {
  summary: 'The inscriptions that an address holds, latest inscribed first.',
  params: Type.Object({ address: Address }),
  query: Type.Object({ ...pageQuery(100), slug: Type.Optional(CollectionSlugInput) }),
  answer: pageOf('HoldingsResponse', { holdings: Type.Array(Holding) }),
})

export const listCoins = read('listCoins', 'GET /coins', {
  summary:
    'The payment coins of a binding of the session that may be spent: confirmed, and holding nothing rare.',
  query: Type.Object({ walletBindingId: Uuid }),
  answer: Type.Object(
    {
      coins: Type.Array(SpendableUtxo),
      totalSats: NonnegativeSats,
      keptBackCount: Count,
      /** A fee rate for a transaction of one's own now, in sat/vB. */
      feeRateSatVb: Type.Number({ exclusiveMinimum: 0 }),
    },
    { title: 'CoinsResponse' },
  ),
  token: true,
  sameForAll: false,
  statuses: [400, 401, 403, 429, 500, 503],
})

export const listMatchingProposals = read('listMatchingProposals', 'GET /matching-proposals', {
  summary: 'Public proposals whose every leg the session could fill with what it holds, newest first.',
  answer: Type.Object({ proposals: Type.Array(Proposal) }, { title: 'MatchingProposalsResponse' }),
  token: true,
  sameForAll: false,
  statuses: [401, 403, 429, 500],
})
