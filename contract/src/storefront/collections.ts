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
      'A verified collection whose name looks the same: but for case, accents, spaces, punctuation, and characters that are drawn alike.',
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
  oneDayChange: Nullable(Type.Number()),
  sevenDayChange: Nullable(Type.Number()),
  volumeDaySats: NonnegativeSats,
  volumeWeekSats: NonnegativeSats,
  salesDayCount: Count,
}

/** Points of a collection's line over seven days. */
export const LINE_POINTS = 24

const CollectionRow = Type.Object(
  {
    ...collection,
    /** In the window asked for: volume, sales, and the change of the floor in percent. */
    volumeSats: NonnegativeSats,
    salesCount: Count,
    floorChange: Nullable(Type.Number()),
    topOfferSats: Nullable(PositiveSats),
    lastSold: Type.Array(
      Type.Object({ inscriptionId: InscriptionId, contentType: Nullable(Type.String()) }),
      { maxItems: 3 },
    ),
    floorLine: Type.Array(Nullable(PositiveSats), {
      maxItems: LINE_POINTS,
      description: 'The floor at equal steps over the last seven days, the present one last.',
    }),
  },
  { title: 'CollectionRow' },
)

export const browseCollections = read('browseCollections', 'GET /collections', {
  summary: 'Collections with floor, changes, volume, listed and owners; `q` looks for a name or slug.',
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

export const getCollection = read('getCollection', 'GET /collections/{slug}', {
  summary: 'A collection: its figures, its royalty and its best offer.',
  params: slugParams,
  answer: Type.Object(
    {
      ...collection,
      description: Nullable(Type.String()),
      sellerRoyaltyBps: Bps,
      buyerRoyaltyBps: Bps,
      tradingEnabled: Type.Boolean(),
      topOfferSats: Nullable(PositiveSats),
    },
    { title: 'CollectionResponse' },
  ),
})

/** The filters of a collection's items. */
const filters = {
  traits: Type.Optional(Type.String({ minLength: 2, maxLength: 8000 })),
  listed: Type.Optional(Type.Boolean()),
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
          description: 'The still at `/preview/{id}/{size}`; null until it is rendered.',
        },
      ),
    ),
  },
  { title: 'BrowsedItem' },
)

export const browseItems = read('browseItems', 'GET /collections/{slug}/items', {
  summary: 'Items of a collection by traits, price and satributes.',
  description:
    'traits is JSON: [{"type":"Hat","values":["Cap","None"]}], groups are AND, values of a group are OR. sort `price` and `price-desc` put what is not listed last.',
  params: slugParams,
  query: Type.Object({
    ...pageQuery(48),
    sort: Type.Optional(OneOf('price', 'price-desc', 'recent', 'number', 'oldest', 'newest', 'rarity')),
    ...filters,
  }),
  answer: pageOf('ItemsResponse', { items: Type.Array(BrowsedItem), total: Count }),
})

export const listFreshItems = read('listFreshItems', 'GET /fresh-items', {
  summary: 'At most 12 items of the whole market: listed last within 5% of the floor, or inscribed last.',
  query: Type.Object({ of: OneOf('near-floor', 'inscribed') }),
  answer: Type.Object({ items: Type.Array(BrowsedItem) }, { title: 'FreshItemsResponse' }),
})

export const listTraits = read('listTraits', 'GET /collections/{slug}/traits', {
  summary:
    'The traits of a collection, each value with the number of its items and their floor under the filters.',
  description:
    "Filters as for items. The counts of a trait's values ignore the filter on that trait, so that a second value can be chosen.",
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
    '`floor` has the changes of the floor, each valid until the next. `sales` are the latest 500. `volume` covers all sales, in intervals of `partSeconds` from `from` on; intervals without sales are omitted.',
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

/** Number of price ranges of the listings, without the range above them. */
export const ASK_PARTS = 20

/** Maximum number of listings and sales with ranks in a response. */
export const RANKED_ROWS = 500

const Ranked = Type.Object(
  { inscriptionId: InscriptionId, rank: Rank, priceSats: PositiveSats },
  { title: 'RankedPrice' },
)

export const getCollectionAnalytics = read('getCollectionAnalytics', 'GET /collections/{slug}/analytics', {
  summary: 'The listings of a collection by price, its prices by the rank of the items, and its owners.',
  description: 'An answer is at most a minute old.',
  params: slugParams,
  answer: Type.Object(
    {
      asks: Type.Object(
        {
          leastSats: Nullable(PositiveSats),
          stepSats: Nullable(PositiveSats),
          parts: Type.Array(Count, { maxItems: ASK_PARTS, description: 'Empty while nothing is listed.' }),
          above: Count,
        },
        {
          title: 'CollectionAsks',
          description:
            'The first range begins at `leastSats`, the floor; each is `stepSats` wide. `above` counts the most expensive listings, at most a tenth, above all ranges.',
        },
      ),
      ranks: Type.Object(
        {
          listings: Type.Array(Ranked, { maxItems: RANKED_ROWS }),
          sales: Type.Array(Ranked, { maxItems: RANKED_ROWS }),
        },
        {
          title: 'CollectionRanks',
          description:
            'The 500 cheapest listings and the latest 500 sales, the rarest item first. Items without traits have no rank and are left out.',
        },
      ),
      holders: Type.Object(
        {
          itemCount: Count,
          ownerCount: Count,
          unownedCount: Type.Integer({
            minimum: 0,
            description: 'Items without an owner: not indexed yet, or unbound.',
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
          description: 'The items of `distribution` and `unownedCount` add up to `itemCount`.',
        },
      ),
    },
    { title: 'CollectionAnalyticsResponse' },
  ),
})
