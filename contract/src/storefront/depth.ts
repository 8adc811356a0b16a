import { Type } from 'typebox'
import { NonnegativeSats, PositiveSats } from '../amounts.ts'
import { Nullable } from '../choices.ts'
import { pageOf, pageQuery } from '../paging.ts'
import { CollectionSlugInput, InscriptionId, Text, Uuid } from '../scalars.ts'
import { BestBid } from './inscriptions.ts'
import { Count, read } from './read.ts'

const level = { priceSats: PositiveSats, items: Count, cumulatedItems: Count, cumulatedSats: NonnegativeSats }

export const getDepth = read('getDepth', 'GET /collections/{slug}/depth', {
  summary: 'Asks and bids of a collection by price, optionally for items with certain traits.',
  description:
    'traits is as in browseItems. Bids are the executable collection and trait offers for which every such item is eligible. Only one of the bids that share a coin can be filled, so cumulatedItems counts them once, but `items` counts each. Returns at most 100 prices per side; askCount and bidCount are totals. topOfferSats is the best bid that any item can accept; with traits, any item with these traits.',
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
                  /** The ten best other bids with a common coin. Only one of them can be filled. */
                  sharesCoinWith: Type.Array(Uuid, { maxItems: 10 }),
                },
                { title: 'DepthOffer' },
              ),
              { maxItems: 20, description: 'The first twenty offers at this price.' },
            ),
          },
          { title: 'BidLevel' },
        ),
        { maxItems: 100 },
      ),
      bidCount: Count,
      topOfferSats: Nullable(PositiveSats),
    },
    { title: 'DepthResponse' },
  ),
})

export const SomeHoldings = Type.String({
  description: '1 to 48 inscription ids, separated by commas.',
  pattern: '^[a-f0-9]{64}i[0-9]{1,10}(,[a-f0-9]{64}i[0-9]{1,10}){0,47}$',
  maxLength: 3700,
  examples: [`${'0'.repeat(64)}i0`],
})

export const listBestBids = read('listBestBids', 'GET /best-bids', {
  summary: 'For each inscription, the bid of another profile with the highest current net for the owner.',
  description:
    'Accepts 1 to 48 inscriptions; omits those without a bid. netSats is after all fees, including the network fee. Includes executable offers on the inscription, and collection and trait offers unless the owner declines them. collectionSlug is null for an offer on the inscription.',
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
      "Inscriptions of one of the session's bindings that are eligible for a collection or trait offer, latest inscribed first.",
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
