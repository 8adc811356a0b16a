import { Type } from 'typebox'
import { bps, NonnegativeSats, nonnegativeSats, PositiveSats } from '../amounts.ts'
import { Nullable, OneOf, VerificationStatus } from '../choices.ts'
import { pageOf, pageQuery } from '../paging.ts'
import { Address, CollectionSlugInput, DateTime, InscriptionId, Text, Txid } from '../scalars.ts'
import { Count, Rank, read, Slugs } from './read.ts'

export const getMarket = read('getMarket', 'GET /market', {
  summary: 'Configuration of this market for its pages: chain, fees and content URL.',
  answer: Type.Object(
    {
      name: Text,
      chain: Text,
      addressNetwork: OneOf('mainnet', 'testnet', 'regtest'),
      contentUrl: Text,
      hasThumbnails: Type.Boolean({
        description: 'Whether the server renders thumbnails, at `/preview/{id}/{size}`.',
      }),
      explorerUrl: Nullable(Text),
      fiat: Nullable(
        Type.Object(
          {
            currency: Text,
            perBtc: Type.Number({ exclusiveMinimum: 0 }),
            /** Null for a fixed rate. */
            at: Nullable(DateTime),
          },
          { title: 'FiatRate' },
        ),
      ),
      fees: Type.Object({
        sellerFeeBps: bps(
          "The seller's fee of listings, offers and counters, in basis points of the price, rounded down.",
        ),
        buyerFeeBps: bps("The buyer's fee of listings, offers and counters, likewise."),
        fillFeeBps: bps(
          'The only fee of a collection or trait offer, paid by the seller who fills it, likewise.',
        ),
        feeMinSats: nonnegativeSats(
          'Minimum of each of these fees whose rate is not 0. In an offer or fill, fees below 330 sats in total are not charged.',
        ),
        proposalFeeSats: nonnegativeSats('Fee of a swap, paid by the acceptor.'),
      }),
      listingMinSats: PositiveSats,
      testWallets: Type.Boolean({
        description: 'True on a test chain where pages offer demo wallets.',
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
    floorSats: Nullable(PositiveSats),
    rank: Nullable(Rank),
    /** Null for swaps and transfers. */
    priceSats: Nullable(PositiveSats),
    /** Price of the replaced listing. */
    wasSats: Nullable(PositiveSats),
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
        description: 'Oldest hour first.',
      }),
    },
    { title: 'ActivitySummaryResponse' },
  ),
})

export const listActivity = read('listActivity', 'GET /activity', {
  summary:
    'Activity, newest first: created and ended listings and offers, sales, trades and transfers, optionally of a collection, an inscription or an address.',
  description:
    'Each trade is one row: an accepted offer appears as its sale. Excludes counters, which are private. An item has at most one transfer per block, and escrow does not count as an owner. `kind` filters by sales, listings, offers, trades, or transfers and inscriptions. `slugs` are 1 to 50 collections, separated by commas. With `minSats` or `slugs`, a page covers a limited range, so it can have few or no rows before the last page.',
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
