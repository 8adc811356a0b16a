import { Type } from 'typebox'
import { Bps, NonnegativeSats, PositiveSats } from '../amounts.ts'
import { CollectionKind, ImageRenderingHint, Nullable, OneOf, VerificationStatus } from '../choices.ts'
import { CollectionInscriptionItem, slugParams } from '../collections.ts'
import { pageOf, pageQuery } from '../paging.ts'
import { Address, CollectionSlug, DateTime, HexColor, InscriptionId, SearchText, Text } from '../scalars.ts'
import { Count, Rank, read, Slugs } from './read.ts'

export const SameName = Type.Object(
  { slug: CollectionSlug, name: Text },
  {
    title: 'SameName',
    description:
      'A verified collection with the same name, ignoring case, accents, spaces, punctuation and similar-looking characters.',
  },
)

const collection = {
  slug: CollectionSlug,
  name: Text,
  kind: Nullable(CollectionKind),
  verificationStatus: VerificationStatus,
  sameNameAs: Nullable(SameName),
  previewInscriptionId: Nullable(InscriptionId),
  previewContentType: Nullable(Type.String()),
  imageRenderingHint: Nullable(ImageRenderingHint),
  cardBackgroundColor: Nullable(HexColor),
  itemCount: Count,
  ownerCount: Count,
  listedCount: Count,
  floorSats: Nullable(PositiveSats),
  oneDayChange: Nullable(Type.Number({ description: 'Change of the floor in 24 hours, in percent.' })),
  sevenDayChange: Nullable(Type.Number({ description: 'Change of the floor in 7 days, in percent.' })),
  volumeDaySats: NonnegativeSats,
  volumeWeekSats: NonnegativeSats,
  salesDayCount: Count,
  sellerRoyaltyBps: Bps,
}

/** Points in the seven-day floor chart. */
export const LINE_POINTS = 24

const CollectionRow = Type.Object(
  {
    ...collection,
    /** Volume, sales, and floor change in percent in the requested window. */
    volumeSats: NonnegativeSats,
    salesCount: Count,
    floorChange: Nullable(Type.Number({ description: 'Change of the floor in the period, in percent.' })),
    topOfferSats: Nullable(PositiveSats),
    lastSold: Type.Array(
      Type.Object({ inscriptionId: InscriptionId, contentType: Nullable(Type.String()) }),
      { maxItems: 3 },
    ),
    floorLine: Type.Array(Nullable(PositiveSats), {
      maxItems: LINE_POINTS,
      description: 'The floor at equal intervals over the last seven days; the last value is current.',
    }),
  },
  { title: 'CollectionRow' },
)

export const browseCollections = read('browseCollections', 'GET /collections', {
  summary:
    'Collections with floor, changes, volume, listed count and owner count; `q` searches names and slugs.',
  description:
    '`window` is the period of volume, sales and floor change. `slugs` selects 1 to 50 collections, separated by commas.',
  query: Type.Object({
    ...pageQuery(50),
    sort: Type.Optional(OneOf('volume', 'sales', 'floor', 'listed', 'owners', 'name', 'new')),
    window: Type.Optional(OneOf('1h', '24h', '7d', '30d', 'all')),
    q: Type.Optional(SearchText),
    slugs: Type.Optional(Slugs),
  }),
  answer: pageOf('CollectionsResponse', { collections: Type.Array(CollectionRow) }),
})

export const MAX_COUNTED_OFFERS = 1000

export const getCollection = read('getCollection', 'GET /collections/{slug}', {
  summary: 'A collection with its statistics, royalties and best offers.',
  params: slugParams,
  answer: Type.Object(
    {
      ...collection,
      description: Nullable(Type.String()),
      buyerRoyaltyBps: Bps,
      tradingEnabled: Type.Boolean(),
      topOfferSats: Nullable(PositiveSats),
      tradeCount: Type.Integer({
        minimum: 0,
        maximum: MAX_COUNTED_OFFERS,
        description:
          'Open public trade proposals that offer or request its items. Counting stops at the maximum.',
      }),
      bestTraitBid: Nullable(
        Type.Object(
          { priceSats: PositiveSats, scopeLabel: Text },
          {
            title: 'BestTraitBid',
            description: 'The best offer that is limited to items with certain traits.',
          },
        ),
      ),
      offerCount: Type.Integer({
        minimum: 0,
        maximum: MAX_COUNTED_OFFERS,
        description: 'Active offers for the collection or its traits. Counting stops at the maximum.',
      }),
      lastSale: Nullable(
        Type.Object({ priceSats: PositiveSats, at: DateTime }, { title: 'CollectionLastSale' }),
      ),
    },
    { title: 'CollectionResponse' },
  ),
})

const filters = {
  traits: Type.Optional(Type.String({ minLength: 2, maxLength: 8000 })),
  listed: Type.Optional(Type.Boolean()),
  offered: Type.Optional(Type.Boolean({ description: 'Only items with an offer on the item itself.' })),
  minSats: Type.Optional(NonnegativeSats),
  maxSats: Type.Optional(NonnegativeSats),
  satribute: Type.Optional(Type.String({ pattern: '^[a-z0-9_]{1,40}$' })),
  q: Type.Optional(SearchText),
}

const BrowsedItem = Type.Object(
  {
    rank: Nullable(Rank),
    ...CollectionInscriptionItem.properties,
    preview: Nullable(
      Type.Object(
        {
          placeholder: Nullable(
            Type.String({
              description:
                'A 4 by 4 pixel placeholder until the thumbnail is loaded, as a data: URL; null if the thumbnail is transparent.',
            }),
          ),
        },
        {
          title: 'ItemPreview',
          description: 'The thumbnail at `/preview/{id}/{size}`; null until it is rendered.',
        },
      ),
    ),
  },
  { title: 'BrowsedItem' },
)

export const browseItems = read('browseItems', 'GET /collections/{slug}/items', {
  summary: 'Items of a collection by traits, price and satributes.',
  description:
    'traits is JSON: [{"type":"Hat","values":["Cap","None"]}], groups are combined with AND, values of a group with OR. With sort `price` or `price-desc`, unlisted items are last. With `offered`, the response is at most 15 seconds old.',
  params: slugParams,
  query: Type.Object({
    ...pageQuery(48),
    sort: Type.Optional(OneOf('price', 'price-desc', 'recent', 'number', 'oldest', 'newest', 'rarity')),
    ...filters,
  }),
  answer: pageOf('ItemsResponse', { items: Type.Array(BrowsedItem), total: Count }),
})

export const listFreshItems = read('listFreshItems', 'GET /fresh-items', {
  summary:
    'Up to 12 items of all collections: the latest listings within 5% of the floor, or the latest inscriptions.',
  query: Type.Object({ of: OneOf('near-floor', 'inscribed') }),
  answer: Type.Object({ items: Type.Array(BrowsedItem) }, { title: 'FreshItemsResponse' }),
})

export const listTraits = read('listTraits', 'GET /collections/{slug}/traits', {
  summary: 'The traits of a collection, with the item count and floor of each value under the filters.',
  description:
    "Filters are as for items. Counts of a trait's values ignore the filter on that trait, so that users can choose further values.",
  params: slugParams,
  query: Type.Object(filters),
  answer: Type.Object(
    {
      traits: Type.Array(
        Type.Object({
          type: Text,
          values: Type.Array(Type.Object({ value: Text, count: Count, floorSats: Nullable(PositiveSats) })),
        }),
      ),
    },
    { title: 'CollectionTraitsResponse' },
  ),
})

const Point = Type.Object({ at: DateTime, sats: Nullable(PositiveSats) })

export const getCollectionHistory = read('getCollectionHistory', 'GET /collections/{slug}/history', {
  summary: 'The floor of a collection over time, its latest sales, and its volume.',
  description:
    '`floor` has one point per floor change. `sales` are the latest 500. `volume` covers all sales, in intervals of `partSeconds` from `from` on; intervals without sales are omitted.',
  params: slugParams,
  query: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, default: 30 })) }),
  answer: Type.Object(
    {
      from: DateTime,
      until: DateTime,
      partSeconds: Type.Integer({ minimum: 1 }),
      floor: Type.Array(Point),
      sales: Type.Array(Type.Object({ at: DateTime, priceSats: PositiveSats, inscriptionId: InscriptionId })),
      volume: Type.Array(
        Type.Object(
          { at: DateTime, sats: PositiveSats, sales: Type.Integer({ minimum: 1 }) },
          { title: 'VolumePart' },
        ),
      ),
    },
    { title: 'CollectionHistoryResponse' },
  ),
})

/** Bars of the price histogram. */
export const PRICE_BARS = 30

export const getPriceHistogram = read('getPriceHistogram', 'GET /collections/{slug}/price-histogram', {
  summary: 'The number of listings of a collection by price.',
  description:
    'Bars have equal widths: the first begins at `leastSats`, at or just below the floor, and each covers `stepSats` prices. The last bar also counts the listings above the 98th percentile of prices, up to `mostSats`. The response is at most one minute old.',
  params: slugParams,
  answer: Type.Object(
    {
      leastSats: Nullable(NonnegativeSats),
      stepSats: Nullable(PositiveSats),
      mostSats: Nullable(PositiveSats),
      bars: Type.Array(Count, { maxItems: PRICE_BARS, description: 'Empty if nothing is listed.' }),
    },
    { title: 'PriceHistogramResponse' },
  ),
})

/** Maximum ranked listings and sales in a response. */
export const RANKED_ROWS = 500

const Ranked = Type.Object(
  { inscriptionId: InscriptionId, rank: Rank, priceSats: PositiveSats },
  { title: 'RankedPrice' },
)

export const getCollectionAnalytics = read('getCollectionAnalytics', 'GET /collections/{slug}/analytics', {
  summary: 'Prices of a collection by rank, and the distribution of owners.',
  description: 'The response is at most one minute old.',
  params: slugParams,
  answer: Type.Object(
    {
      ranks: Type.Object(
        {
          listings: Type.Array(Ranked, { maxItems: RANKED_ROWS }),
          sales: Type.Array(Ranked, { maxItems: RANKED_ROWS }),
        },
        {
          title: 'CollectionRanks',
          description:
            'The 500 cheapest listings and the latest 500 sales, rarest item first. Excludes items without traits, which have no rank.',
        },
      ),
      holders: Type.Object(
        {
          itemCount: Count,
          ownerCount: Count,
          unownedCount: Type.Integer({
            minimum: 0,
            description: 'Items without an owner, because they are not indexed yet or unbound.',
          }),
          distribution: Type.Array(
            Type.Object(
              {
                least: Type.Integer({ minimum: 1 }),
                most: Nullable(Type.Integer({ minimum: 1 })),
                owners: Count,
                items: Count,
              },
              { title: 'HoldersOfSize' },
            ),
          ),
          top: Type.Array(
            Type.Object({ address: Nullable(Address), itemCount: Count }, { title: 'Holder' }),
            { maxItems: 10 },
          ),
        },
        {
          title: 'CollectionHolders',
          description: 'Items in `distribution` plus `unownedCount` equal `itemCount`.',
        },
      ),
    },
    { title: 'CollectionAnalyticsResponse' },
  ),
})
