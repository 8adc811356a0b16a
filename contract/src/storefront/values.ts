import { Type } from 'typebox'
import { NonnegativeSats, PositiveSats } from '../amounts.ts'
import { Nullable, OneOf } from '../choices.ts'
import { pageOf, pageQuery } from '../paging.ts'
import { Address, CollectionSlug, DateTime, InscriptionId, Text, Txid } from '../scalars.ts'
import { SomeHoldings } from './depth.ts'
import { Count, read } from './read.ts'

/** Value and cost of held items. */

export const listItemValues = read('listItemValues', 'GET /item-values', {
  summary: 'Trait floors of inscriptions, and their last purchases on this market.',
  description:
    "Accepts 1 to 48 inscriptions. The trait floor is the highest floor among the inscription's traits in its collection; null if none is listed; traitFloorOf is the value of that trait. lastBought is null if the last sale was on another marketplace. paidSats is the price plus the buyer's fees and royalties, without network fee and postage.",
  query: Type.Object({ inscriptionIds: SomeHoldings }),
  answer: Type.Object(
    {
      values: Type.Array(
        Type.Object(
          {
            inscriptionId: InscriptionId,
            traitFloorSats: Nullable(PositiveSats),
            traitFloorOf: Nullable(Text),
            lastBought: Nullable(
              Type.Object(
                { buyerAddress: Address, paidSats: NonnegativeSats, at: DateTime },
                { title: 'LastBought' },
              ),
            ),
          },
          { title: 'ItemValue' },
        ),
        { maxItems: 48 },
      ),
    },
    { title: 'ItemValuesResponse' },
  ),
})

export const listOwnSales = read('listOwnSales', 'GET /own-sales', {
  summary: "The session's purchases and sales on this market, newest first.",
  description:
    "Includes confirmed trades only; a trade between two addresses of the session has two rows. feesSats are this side's fees and royalties, without the network fee. costSats of a sale is the seller's purchase cost on this market, including fees; null if unknown. Excludes sales on other marketplaces, and swaps without sats.",
  query: Type.Object({
    ...pageQuery(100),
    since: Type.Optional(DateTime),
    until: Type.Optional(DateTime),
  }),
  answer: pageOf('OwnSalesResponse', {
    sales: Type.Array(
      Type.Object(
        {
          side: OneOf('bought', 'sold'),
          soldAt: DateTime,
          txid: Txid,
          inscriptionId: InscriptionId,
          name: Text,
          collectionSlug: Nullable(CollectionSlug),
          collectionName: Nullable(Text),
          priceSats: NonnegativeSats,
          feesSats: Nullable(NonnegativeSats),
          costSats: Nullable(NonnegativeSats),
          priceUsd: Nullable(Type.Number({ minimum: 0 })),
        },
        { title: 'OwnSale' },
      ),
    ),
  }),
  token: true,
  sameForAll: false,
  statuses: [400, 401, 403, 429, 500],
})

/** Maximum points of a portfolio's value. */
export const VALUE_POINTS = 15

export const getPortfolioValue = read('getPortfolioValue', 'GET /portfolio-value', {
  summary: "The estimated value of the session's items over the last days.",
  description:
    'The estimated value of an item is its trait floor, otherwise the floor of its collection, among the listings at that time. Items without either are in unvaluedCount, not in the value. `points` begin when the value of an item is first known, and end now. The change since the first point is priceChangeSats, of the items held then and now, plus itemChangeSats, of items bought and sold. Counts at most 2,000 items of collections.',
  query: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, default: 7 })) }),
  answer: Type.Object(
    {
      valueSats: NonnegativeSats,
      valuedCount: Count,
      unvaluedCount: Count,
      priceChangeSats: Type.Integer(),
      itemChangeSats: Type.Integer(),
      points: Type.Array(Type.Object({ at: DateTime, valueSats: NonnegativeSats }, { title: 'ValuePoint' }), {
        maxItems: VALUE_POINTS,
      }),
    },
    { title: 'PortfolioValueResponse' },
  ),
  token: true,
  sameForAll: false,
  statuses: [400, 401, 403, 429, 500],
})
