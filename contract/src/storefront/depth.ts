import { Type } from 'typebox'
import { NonnegativeSats, PositiveSats } from '../amounts.ts'
import { Nullable } from '../choices.ts'
import { pageOf, pageQuery } from '../paging.ts'
import { CollectionSlugInput, InscriptionId, Text, Uuid } from '../scalars.ts'
import { BestBid } from './inscriptions.ts'
import { Count, read } from './read.ts'

/** The depth of a book by price, and the bids that own items could be sold into. */
const level = { priceSats: PositiveSats, items: Count, cumulatedItems: Count, cumulatedSats: NonnegativeSats }

export const getDepth = read('getDepth', 'GET /collections/{slug}/depth', {
  summary: 'Asks and bids of a collection by price, or of its items with certain traits.',
  description:
    'traits as in browseItems. Bids are the executable collection and trait offers for which every such item is eligible. Only one of the bids that share a coin can be filled: cumulatedItems counts them once, `items` each. At most 100 prices per side; askCount and bidCount are totals.',
  params: Type.Object({ slug: CollectionSlugInput }),
  query: Type.Object({ traits: Type.Optional(Type.String({ minLength: 2, maxLength: 8000 })) }),
  answer: Type.Object(
    {
      asks: Type.Array(Type.Object(level, { title: 'AskLevel' }), { maxItems: 100 }),
      askCount: Count,
      bids: Type.Array(
        Type.Object(
          {
            ...level,
            offers: Type.Array(
              Type.Object(
                {
                  offerId: Uuid,
                  scopeLabel: Text,
                  /** Other bids, the best ten, of which only one of all these can be filled. */
                  sharesCoinWith: Type.Array(Uuid, { maxItems: 10 }),
                },
                { title: 'DepthOffer' },
              ),
              { maxItems: 20, description: 'The first twenty of this price.' },
            ),
          },
          { title: 'BidLevel' },
        ),
        { maxItems: 100 },
      ),
      bidCount: Count,
    },
    { title: 'DepthResponse' },
  ),
})

export const SomeHoldings = Type.String({
  description: 'Ids of 1 to 48 inscriptions, with commas between them.',
  pattern: '^[a-f0-9]{64}i[0-9]{1,10}(,[a-f0-9]{64}i[0-9]{1,10}){0,47}$',
  maxLength: 3700,
  examples: [`${'0'.repeat(64)}i0`],
})

export const listBestBids = read('listBestBids', 'GET /best-bids', {
  summary:
    'For each of some inscriptions the bid of another profile that would leave its owner the most now.',
  description:
    'For 1 to 48 inscriptions; those without a bid are left out. netSats is after all fees, the network fee included. Counted are executable offers on the inscription, and collection and trait offers unless its owner declines them. collectionSlug is null for an offer on the inscription.',
  query: Type.Object({ inscriptionIds: SomeHoldings }),
  answer: Type.Object(
    {
      bids: Type.Array(
        Type.Object({ inscriptionId: InscriptionId, bid: BestBid }, { title: 'BestBidOfItem' }),
        { maxItems: 48 },
      ),
    },
    { title: 'BestBidsResponse' },
  ),
  token: true,
  sameForAll: false,
  statuses: [400, 401, 403, 429, 500, 503],
})

export const listFittingItems = read(
  'listFittingItems',
  'GET /collections/{slug}/collection-offers/{offerId}/fitting',
  {
    summary:
      'The inscriptions of a binding of the session that a collection or trait offer would take, latest inscribed first.',
    params: Type.Object({ slug: CollectionSlugInput, offerId: Uuid }),
    query: Type.Object({ ...pageQuery(100), walletBindingId: Uuid }),
    answer: pageOf('FittingItemsResponse', {
      items: Type.Array(
        Type.Object(
          {
            inscriptionId: InscriptionId,
            name: Text,
            contentType: Nullable(Type.String()),
            listingId: Nullable(Uuid),
            priceSats: Nullable(PositiveSats),
          },
          { title: 'FittingItem' },
        ),
      ),
    }),
    token: true,
    sameForAll: false,
    statuses: [400, 401, 403, 404, 429, 500],
  },
)
