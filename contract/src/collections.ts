import { Type } from 'typebox'
import { btc, nonnegativeSats, PositiveSats } from './amounts.ts'
import {
  CollectionKind,
  DefaultOneOf,
  ImageRenderingHint,
  ListingState,
  Nullable,
  OneOf,
  VerificationStatus,
} from './choices.ts'
import { operation } from './operation.ts'
import { pageOf, pageQuery } from './paging.ts'
import {
  Address,
  CollectionSlug,
  CollectionSlugInput,
  DateTime,
  HexColor,
  InscriptionId,
  Text,
  Uuid,
} from './scalars.ts'

export const slugParams = Type.Object({ slug: CollectionSlugInput })

/** Collection of an inscription. Its fields are null if there is none. */
export const ListingCollection = Type.Object(
  {
    slug: Nullable(Text),
    name: Nullable(Text),
    kind: Nullable(CollectionKind),
    verificationStatus: Nullable(VerificationStatus),
  },
  { title: 'ListingCollection' },
)

/** Location of an inscription; null until it is indexed. */
export const location = {
  sat: Nullable(Type.Integer({ minimum: 0 })),
  locationTxid: Nullable(Type.String()),
  locationVout: Nullable(Type.Integer({ minimum: 0 })),
  locationSatpoint: Nullable(Type.String()),
}

const FloorStat = Type.Object(
  {
    slug: CollectionSlug,
    floor: Nullable(
      nonnegativeSats('Lowest price at which an item can be bought now, in sats. Null if there is none.'),
    ),
    listedCount: Type.Integer({ minimum: 0 }),
    ownerCount: Type.Integer({ minimum: 0 }),
    oneDayChange: Nullable(
      Type.Number({ description: 'Change of the floor in 24 hours, in percent.', examples: [2.5] }),
    ),
    sevenDayChange: Nullable(
      Type.Number({ description: 'Change of the floor in 7 days, in percent.', examples: [-12.25] }),
    ),
    timestamp: DateTime,
  },
  { title: 'FloorStat' },
)

export const listCollectionFloorStats = operation({
  id: 'listCollectionFloorStats',
  method: 'GET',
  path: '/collection-stats/floors',
  area: 'Collections',
  summary: 'Floor, listed count and owner count of up to 100 collections, in the requested order.',
  description: 'Unknown slugs are omitted, so a response can have fewer rows than the request.',
  query: Type.Object({
    slugs: Type.String({
      minLength: 1,
      maxLength: 20_200,
      description: 'Comma-separated slugs, at most 100. Case-insensitive.',
      examples: ['harbour-lamps,tide-tables'],
    }),
  }),
  answer: Type.Object(
    { success: Type.Boolean(), data: Type.Array(FloorStat) },
    { title: 'CollectionFloorStatsResponse' },
  ),
  statuses: [400, 401, 403, 429, 500],
  token: true,
  sameForAll: true,
  bucket: 'reads',
})

const Trait = Type.Object(
  {
    type: Text,
    value: Text,
    count: Type.Optional(Type.Integer({ minimum: 0 })),
    percentage: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { title: 'Trait' },
)

export const CollectionInscriptionItem = Type.Object(
  {
    id: InscriptionId,
    name: Text,
    collection: CollectionSlug,
    collectionHref: Nullable(Text),
    collections: Type.Array(CollectionSlug),
    image: Text,
    inscription: Type.Integer({ description: 'Inscription number; 0 until it is indexed.' }),
    inscriptionId: InscriptionId,
    listingId: Nullable(Uuid),
    listingState: Nullable(ListingState),
    priceSats: Nullable(PositiveSats),
    price: Nullable(btc('priceSats in BTC.')),
    listedAt: Nullable(DateTime),
    listingExpiresAt: Nullable(DateTime),
    lastSale: Nullable(btc('Price of the last confirmed sale, in BTC.')),
    owner: Nullable(Address),
    contentType: OneOf('image', 'html', 'video', 'text'),
    rawContentType: Nullable(Text),
    imageRenderingHint: Nullable(ImageRenderingHint),
    cardBackgroundColor: Nullable(HexColor),
    isDmtMint: Type.Optional(Type.Boolean()),
    traits: Type.Array(Trait),
    satributes: Type.Array(Text),
    ...location,
  },
  { title: 'CollectionInscriptionItem' },
)

export const listCollectionInscriptions = operation({
  id: 'listCollectionInscriptions',
  method: 'GET',
  path: '/collection/{slug}/inscriptions',
  area: 'Collections',
  summary: 'The inscriptions of a collection, sorted by sequence number.',
  params: slugParams,
  query: Type.Object({
    ...pageQuery(48),
    sort: DefaultOneOf('oldest', 'newest'),
  }),
  answer: pageOf('CollectionInscriptionsResponse', { items: Type.Array(CollectionInscriptionItem) }),
  statuses: [400, 401, 403, 404, 429, 500],
  token: true,
  sameForAll: true,
  bucket: 'reads',
})
