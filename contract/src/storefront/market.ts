import { Type } from 'typebox'
import { Bps, NonnegativeSats, PositiveSats } from '../amounts.ts'
import { Nullable, OneOf, VerificationStatus } from '../choices.ts'
import { pageOf, pageQuery } from '../paging.ts'
import { Address, CollectionSlugInput, DateTime, InscriptionId, Text, Txid } from '../scalars.ts'
import { Count, Rank, read, Slugs } from './read.ts'

export const getMarket = read('getMarket', 'GET /market', {
  summary: 'Facts about this market for its pages: its chain, fees, and the address of inscription content.',
  answer: Type.Object(
    {
      name: Text,
      chain: Text,
      addressNetwork: OneOf('mainnet', 'testnet', 'regtest'),
      contentUrl: Text,
      hasThumbnails: Type.Boolean({
        description:
          'Whether thumbnails of content are rendered here: pages then show `/preview/{id}/{size}` in lists.',
      }),
      explorerUrl: Nullable(Text),
      fiat: Nullable(
        Type.Object({ currency: Text, perBtc: Type.Number({ exclusiveMinimum: 0 }) }, { title: 'FiatRate' }),
      ),
      fees: Type.Object({
        sellerFeeBps: Bps,
        buyerFeeBps: Bps,
        fillFeeBps: Bps,
        feeMinSats: NonnegativeSats,
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

const Activity = Type.Object(
  {
    kind: OneOf(
      'listed',
      'delisted',
      'expired',
      'sold',
      'invalidated',
      'offer',
      'offer_ended',
      'trade',
      'transfer',
      'inscribed',
    ),
    at: DateTime,
    inscriptionId: InscriptionId,
    inscriptionName: Text,
    contentType: Nullable(Type.String()),
    collectionSlug: Nullable(Type.String()),
    collectionName: Nullable(Text),
    verificationStatus: Nullable(VerificationStatus),
    /** Of its collection, now. */
    floorSats: Nullable(PositiveSats),
    rank: Nullable(Rank),
    /** None for swaps and transfers. */
    priceSats: Nullable(PositiveSats),
    /** The price that a listing took the place of. */
    wasSats: Nullable(PositiveSats),
    /** Items of a trade. */
    itemCount: Type.Integer({ minimum: 1 }),
    fromAddress: Nullable(Address),
    toAddress: Nullable(Address),
    txid: Nullable(Txid),
    external: Type.Boolean(),
  },
  { title: 'Activity' },
)

export const getActivitySummary = read('getActivitySummary', 'GET /activity/summary', {
  summary: 'Sales of the last 24 hours: totals and hourly volume.',
  answer: Type.Object(
    {
      volumeSats: NonnegativeSats,
      sales: Count,
      buyers: Count,
      largestSats: Nullable(PositiveSats),
      hours: Type.Array(NonnegativeSats, {
        minItems: 24,
        maxItems: 24,
        description: 'The oldest first.',
      }),
    },
    { title: 'ActivitySummaryResponse' },
  ),
})

export const listActivity = read('listActivity', 'GET /activity', {
  summary:
    'Activity, newest first: listings and offers made and ended, sales, trades and transfers of items; of a collection, an inscription or an address.',
  description:
    'One trade is one row: an accepted offer appears as its sale. Counters are private and not included. An item has at most one transfer per block; escrow does not count as a holder. `kind` selects sales, listings, offers, trades or transfers, including inscriptions. `slugs` are 1 to 50 collections, separated by commas. With `minSats` or `slugs`, a response covers a limited range: it can have few or no rows and still be followed by another page.',
  query: Type.Object({
    ...pageQuery(50),
    slug: Type.Optional(CollectionSlugInput),
    slugs: Type.Optional(Slugs),
    inscriptionId: Type.Optional(InscriptionId),
    address: Type.Optional(Address),
    kind: Type.Optional(OneOf('sales', 'listings', 'offers', 'trades', 'transfers')),
    minSats: Type.Optional(PositiveSats),
  }),
  answer: pageOf('ActivityResponse', { activity: Type.Array(Activity) }),
})
