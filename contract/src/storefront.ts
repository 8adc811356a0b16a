import { Type } from 'typebox'
import { carries } from './carried.ts'
import { CollectionInscriptionItem } from './collections.ts'
import { operation } from './operation.ts'
import { Pagination, pageQuery } from './paging.ts'
import { Proposal } from './proposals.ts'
import {
  Address,
  Bps,
  CollectionKind,
  CollectionSlug,
  CollectionSlugInput,
  DateTime,
  HexColor,
  ImageRenderingHint,
  InscriptionId,
  ListingState,
  NonnegativeSats,
  Nullable,
  OneOf,
  PositiveSats,
  SearchText,
  Text,
  Txid,
  Uuid,
  VerificationStatus,
} from './scalars.ts'
import { SpendableUtxo } from './signing.ts'

/** Reads of the storefront beside the API. Only the visitor's own data needs a session. */
const STATUSES = [400, 404, 429, 500] as const
const Count = Type.Integer({ minimum: 0 })
const Height = Type.Integer({ minimum: 0 })
const read = {
  method: 'GET',
  area: 'Storefront',
  bucket: 'web-reads',
  statuses: STATUSES,
  token: false,
  sameForAll: true,
} as const

export const getMarket = operation({
  ...read,
  id: 'getMarket',
  path: '/market',
  summary:
    'What the pages must know of this market: its chain, fees, and where inscription content is served.',
  answer: Type.Object(
    {
      name: Text,
      chain: Text,
      addressNetwork: OneOf('mainnet', 'testnet', 'regtest'),
      contentUrl: Text,
      fiat: Nullable(Type.Object({ currency: Text, perBtc: Type.Number({ exclusiveMinimum: 0 }) })),
      fees: Type.Object({
        sellerFeeBps: Bps,
        buyerFeeBps: Bps,
        fillFeeBps: Bps,
        proposalFeeSats: NonnegativeSats,
      }),
      listingMinSats: PositiveSats,
      testWallets: Type.Boolean({
        description: 'True on a chain for trying things: the wallets of the demo are offered.',
      }),
    },
    { title: 'MarketResponse' },
  ),
})

const collection = {
  slug: CollectionSlug,
  name: Text,
  kind: Nullable(CollectionKind),
  verificationStatus: VerificationStatus,
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
const CollectionRow = Type.Object(collection, { title: 'CollectionRow' })

export const browseCollections = operation({
  ...read,
  id: 'browseCollections',
  path: '/collections',
  summary: 'Collections with floor, changes, volume, listed and owners; `q` looks for a name or slug.',
  query: Type.Object({
    ...pageQuery(50),
    sort: Type.Optional(OneOf('volume', 'floor', 'listed', 'owners', 'name')),
    q: Type.Optional(SearchText),
  }),
  answer: Type.Object(
    { collections: Type.Array(CollectionRow), pagination: Pagination },
    { title: 'CollectionsResponse' },
  ),
})

export const getCollection = operation({
  ...read,
  id: 'getCollection',
  path: '/collections/{slug}',
  summary: 'A collection with its traits, each value with its count and its floor.',
  params: Type.Object({ slug: CollectionSlugInput }),
  answer: Type.Object(
    {
      ...collection,
      description: Nullable(Type.String()),
      sellerRoyaltyBps: Bps,
      buyerRoyaltyBps: Bps,
      tradingEnabled: Type.Boolean(),
      topOfferSats: Nullable(PositiveSats),
      traits: Type.Array(
        Type.Object({
          type: Text,
          values: Type.Array(Type.Object({ value: Text, count: Count, floorSats: Nullable(PositiveSats) })),
        }),
      ),
    },
    { title: 'CollectionResponse' },
  ),
})

export const browseItems = operation({
  ...read,
  id: 'browseItems',
  path: '/collections/{slug}/items',
  summary: 'Items of a collection by traits, price and satributes.',
  description:
    'traits is JSON: [{"type":"Hat","values":["Cap","None"]}], groups are AND, values of a group are OR. sort `price` and `price-desc` put what is not listed last.',
  params: Type.Object({ slug: CollectionSlugInput }),
  query: Type.Object({
    ...pageQuery(48),
    sort: Type.Optional(OneOf('price', 'price-desc', 'recent', 'oldest', 'newest', 'rarity')),
    traits: Type.Optional(Type.String({ minLength: 2, maxLength: 8000 })),
    listed: Type.Optional(Type.Boolean()),
    minSats: Type.Optional(NonnegativeSats),
    maxSats: Type.Optional(NonnegativeSats),
    satribute: Type.Optional(Type.String({ pattern: '^[a-z0-9_]{1,40}$' })),
    q: Type.Optional(SearchText),
  }),
  answer: Type.Object(
    { items: Type.Array(CollectionInscriptionItem), total: Count, pagination: Pagination },
    { title: 'ItemsResponse' },
  ),
})

const Point = Type.Object({ at: DateTime, sats: Nullable(PositiveSats) })

export const getCollectionHistory = operation({
  ...read,
  id: 'getCollectionHistory',
  path: '/collections/{slug}/history',
  summary: 'The floor of a collection over time, and its latest sales.',
  params: Type.Object({ slug: CollectionSlugInput }),
  query: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, default: 30 })) }),
  answer: Type.Object(
    {
      floor: Type.Array(Point),
      sales: Type.Array(Type.Object({ at: DateTime, priceSats: PositiveSats, inscriptionId: InscriptionId })),
    },
    { title: 'CollectionHistoryResponse' },
  ),
})

const Activity = Type.Object(
  {
    kind: OneOf('listed', 'delisted', 'expired', 'sold', 'invalidated'),
    at: DateTime,
    inscriptionId: InscriptionId,
    inscriptionName: Text,
    contentType: Nullable(Type.String()),
    collectionSlug: Nullable(Type.String()),
    priceSats: PositiveSats,
    fromAddress: Nullable(Address),
    toAddress: Nullable(Address),
    txid: Nullable(Txid),
    external: Type.Boolean(),
  },
  { title: 'Activity' },
)

export const listActivity = operation({
  ...read,
  id: 'listActivity',
  path: '/activity',
  summary:
    'What happened, newest first: listings made and ended, sales; of a collection, an inscription or an address.',
  query: Type.Object({
    ...pageQuery(50),
    slug: Type.Optional(CollectionSlugInput),
    inscriptionId: Type.Optional(InscriptionId),
    address: Type.Optional(Address),
  }),
  answer: Type.Object(
    { activity: Type.Array(Activity), pagination: Pagination },
    { title: 'ActivityResponse' },
  ),
})

const Relative = Type.Object({
  inscriptionId: InscriptionId,
  inscriptionNumber: Nullable(Type.Integer()),
  contentType: Nullable(Type.String()),
})

export const getInscription = operation({
  ...read,
  id: 'getInscription',
  path: '/inscriptions/{id}',
  summary: 'An inscription: what it is, where it came from, who held it, and what it can be had for.',
  params: Type.Object({ id: InscriptionId }),
  answer: Type.Object(
    {
      inscriptionId: InscriptionId,
      inscriptionNumber: Nullable(Type.Integer()),
      name: Text,
      contentType: Nullable(Type.String()),
      contentBytes: Nullable(Count),
      owner: Nullable(Address),
      outpoint: Nullable(SpendableUtxo),
      /** If it rests in escrow: its owner, and the form of the escrow. */
      escrow: Nullable(Type.Object({ owner: Address, escrowForm: OneOf('published', 'wallet') })),
      /** Whether its owner declines collection and trait offers on it. */
      declinesBids: Type.Boolean(),
      satOffset: Nullable(Count),
      sat: Nullable(Count),
      satributes: Type.Array(Text),
      cursed: Type.Boolean(),
      genesisHeight: Height,
      inscribedAt: DateTime,
      delegateId: Nullable(InscriptionId),
      metaprotocol: Nullable(Type.String()),
      parents: Type.Array(Relative),
      children: Type.Array(Relative),
      childCount: Count,
      collections: Type.Array(
        Type.Object({
          slug: CollectionSlug,
          name: Text,
          verificationStatus: VerificationStatus,
          floorSats: Nullable(PositiveSats),
          itemCount: Count,
          imageRenderingHint: Nullable(ImageRenderingHint),
          traits: Type.Array(
            Type.Object({ type: Text, value: Text, count: Count, floorSats: Nullable(PositiveSats) }),
          ),
        }),
      ),
      listing: Nullable(
        Type.Object({
          listingId: Uuid,
          state: ListingState,
          priceSats: PositiveSats,
          listedAt: DateTime,
          expiresAt: Nullable(DateTime),
        }),
      ),
      moves: Type.Array(
        Type.Object({
          height: Height,
          at: DateTime,
          txid: Txid,
          fromAddress: Nullable(Address),
          toAddress: Nullable(Address),
          priceSats: Nullable(PositiveSats),
          external: Type.Boolean(),
        }),
      ),
    },
    { title: 'InscriptionResponse' },
  ),
})

const SomeInscriptions = Type.String({
  description: 'Ids of 1 to 20 inscriptions, with commas between them.',
  pattern: '^[a-f0-9]{64}i[0-9]{1,10}(,[a-f0-9]{64}i[0-9]{1,10}){0,19}$',
  maxLength: 1540,
  examples: [`${'0'.repeat(64)}i0`],
})

export const listItems = operation({
  ...read,
  id: 'listItems',
  path: '/items',
  summary:
    'The names of inscriptions, and the collection in which each is traded; unknown ones are left out.',
  query: Type.Object({ inscriptionIds: SomeInscriptions }),
  answer: Type.Object(
    {
      items: Type.Array(
        Type.Object({
          inscriptionId: InscriptionId,
          name: Text,
          contentType: Nullable(Type.String()),
          imageRenderingHint: Nullable(ImageRenderingHint),
          collectionSlug: Nullable(CollectionSlug),
          collectionName: Nullable(Text),
          collectionFloorSats: Nullable(PositiveSats),
          sellerRoyaltyBps: Nullable(Bps),
        }),
      ),
    },
    { title: 'ItemNamesResponse' },
  ),
})

export const listCarries = operation({
  ...read,
  id: 'listCarries',
  path: '/carries',
  summary: 'What the coins of inscriptions hold besides them: runes, other inscriptions and rare sats.',
  query: Type.Object({ inscriptionIds: SomeInscriptions }),
  answer: Type.Object(carries, { title: 'CarriesResponse' }),
  sameForAll: false,
  statuses: [400, 429, 500, 503],
})

export const getBestBid = operation({
  ...read,
  id: 'getBestBid',
  path: '/inscriptions/{id}/best-bid',
  summary: 'The bid of another profile that would leave the owner of an inscription the most now.',
  description:
    'netSats is after all fees, the network fee included. Counted are executable offers on the inscription, and collection and trait offers unless its owner declines them. collectionSlug is null for an offer on the inscription.',
  params: Type.Object({ id: InscriptionId }),
  answer: Type.Object(
    {
      bid: Nullable(
        Type.Object({
          offerId: Uuid,
          collectionSlug: Nullable(CollectionSlug),
          priceSats: PositiveSats,
          netSats: PositiveSats,
        }),
      ),
    },
    { title: 'BestBidResponse' },
  ),
  token: true,
  sameForAll: false,
  statuses: [400, 401, 403, 429, 500, 503],
})

const Holding = Type.Object(
  {
    inscriptionId: InscriptionId,
    inscriptionNumber: Nullable(Type.Integer()),
    name: Text,
    contentType: Nullable(Type.String()),
    imageRenderingHint: Nullable(ImageRenderingHint),
    collectionSlug: Nullable(CollectionSlug),
    collectionName: Nullable(Text),
    collectionFloorSats: Nullable(PositiveSats),
    topOfferSats: Nullable(PositiveSats),
    listingId: Nullable(Uuid),
    listingState: Nullable(ListingState),
    priceSats: Nullable(PositiveSats),
    traits: Type.Array(Type.Object({ type: Text, value: Text })),
    outpoint: SpendableUtxo,
  },
  { title: 'Holding' },
)

export const listHoldings = operation({
  ...read,
  id: 'listHoldings',
  path: '/holdings/{address}',
  summary: 'The inscriptions that an address holds, latest inscribed first.',
  params: Type.Object({ address: Address }),
  query: Type.Object({ ...pageQuery(100), slug: Type.Optional(CollectionSlugInput) }),
  answer: Type.Object(
    { holdings: Type.Array(Holding), pagination: Pagination },
    { title: 'HoldingsResponse' },
  ),
})

export const listCoins = operation({
  ...read,
  id: 'listCoins',
  path: '/coins',
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

export const search = operation({
  ...read,
  id: 'search',
  path: '/search',
  summary: 'Collections by name, inscriptions by id or number.',
  query: Type.Object({ q: SearchText }),
  answer: Type.Object(
    { collections: Type.Array(CollectionRow), inscriptions: Type.Array(Relative) },
    { title: 'SearchResponse' },
  ),
})

export const listMatchingProposals = operation({
  ...read,
  id: 'listMatchingProposals',
  path: '/matching-proposals',
  summary: 'Public proposals whose every leg the session could fill with what it holds, newest first.',
  answer: Type.Object({ proposals: Type.Array(Proposal) }, { title: 'MatchingProposalsResponse' }),
  token: true,
  sameForAll: false,
  statuses: [401, 403, 429, 500],
})

export const storefrontReads = {
  getMarket,
  browseCollections,
  getCollection,
  browseItems,
  getCollectionHistory,
  listActivity,
  getInscription,
  listItems,
  listCarries,
  getBestBid,
  listHoldings,
  listCoins,
  search,
  listMatchingProposals,
}
