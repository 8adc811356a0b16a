import { Type } from 'typebox'
import { Bps, NonnegativeSats, PositiveSats } from '../amounts.ts'
import { CollectionKind, ImageRenderingHint, Nullable, OneOf, VerificationStatus } from '../choices.ts'
import { CollectionInscriptionItem, slugParams } from '../collections.ts'
import { pageOf, pageQuery } from '../paging.ts'
import { CollectionSlug, DateTime, HexColor, InscriptionId, SearchText, Text } from '../scalars.ts'
import { Count, Rank, read } from './read.ts'

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

export const CollectionRow = Type.Object(collection, { title: 'CollectionRow' })

export const browseCollections = read('browseCollections', 'GET /collections', {
  summary: 'Collections with floor, changes, volume, listed and owners; `q` looks for a name or slug.',
  query: Type.Object({
    ...pageQuery(50),
    sort: Type.Optional(OneOf('volume', 'floor', 'listed', 'owners', 'name')),
    q: Type.Optional(SearchText),
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
  { rank: Nullable(Rank), ...CollectionInscriptionItem.properties },
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

export const listTraits = read('listTraits', 'GET /collections/{slug}/traits', {
  summary:
    'The traits of a collection, each value with the number of its items and their floor under the filters.',
  description:
    'The filters are those of the items. The values of a trait follow the filters of the other traits and not its own, so that a second value of it can be chosen.',
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
  summary: 'The floor of a collection over time, and its latest sales.',
  params: slugParams,
  query: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, default: 30 })) }),
  answer: Type.Object(
    {
      floor: Type.Array(Point),
      sales: Type.Array(Type.Object({ at: DateTime, priceSats: PositiveSats, inscriptionId: InscriptionId })),
    },
    { title: 'CollectionHistoryResponse' },
  ),
})
