import { Type } from 'typebox'
import { btc, NonnegativeSats } from './amounts.ts'
import { Nullable, OneOf } from './choices.ts'
import { ListingCollection } from './collections.ts'
import { operation } from './operation.ts'
import { pageOf, pageQuery } from './paging.ts'
import { Address, CollectionSlugInput, DateTime, InscriptionId, Text, Txid } from './scalars.ts'

const Sale = Type.Object(
  {
    saleId: Text,
    saleType: OneOf('internal', 'external'),
    txid: Nullable(Txid),
    inscriptionId: InscriptionId,
    inscriptionNumber: Text,
    inscriptionName: Text,
    collection: ListingCollection,
    sellerAddress: Nullable(Address),
    buyerAddress: Nullable(Address),
    priceSats: NonnegativeSats,
    price: btc('priceSats in BTC.'),
    priceUsd: Nullable(
      Type.Number({ minimum: 0, description: 'Price in US dollars. Null without a rate.', examples: [42.5] }),
    ),
    soldAt: DateTime,
    blockHeight: Type.Integer({ minimum: 0 }),
  },
  { title: 'Sale' },
)

export const listSales = operation({
  id: 'listSales',
  method: 'GET',
  path: '/sales',
  area: 'Sales',
  summary: 'Confirmed sales, newest first.',
  description: 'An unknown collectionSlug returns an empty page.',
  query: Type.Object({ ...pageQuery(50), collectionSlug: Type.Optional(CollectionSlugInput) }),
  answer: pageOf('SalesResponse', { sales: Type.Array(Sale) }),
  statuses: [400, 401, 403, 429, 500],
  token: true,
  sameForAll: true,
  bucket: 'reads',
})
