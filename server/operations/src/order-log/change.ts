import { Exactly } from '@ordbook/process/parse.ts'
import { type TSchema, Type } from 'typebox'

/** Schema of the changes. db/src/schema/functions/order-log.sql writes them. */

const Sats = Type.Integer({ minimum: 0, maximum: 2_100_000_000_000_000 })
const Bps = Type.Integer({ minimum: 0, maximum: 10_000 })
const Height = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })
const Uuid = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })
const Script = Type.String({ pattern: '^([0-9a-f]{2}){1,100}$' })
const Txid = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Coin = Type.String({ pattern: '^[0-9a-f]{64}:[0-9]{1,9}$' })
const InscriptionId = Type.String({ pattern: '^[0-9a-f]{64}i[0-9]{1,9}$' })
const At = Type.String({
  pattern: '^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9][.][0-9]{6}Z$',
})
/** No maximum length: rejecting a long name would stop every mirror. */
const Text = Type.String()
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const InscriptionIds = Type.Array(InscriptionId, { maxItems: 1000 })

const words = <const W extends string>(...all: W[]) => Type.Union(all.map((word) => Type.Literal(word)))
const optional = (schema: TSchema) => Type.Optional(schema)

const OfCollection = { collection: Type.String({ pattern: '^[a-z0-9_-]{1,200}$' }), collectionName: Text }
const Base = { id: Uuid, at: At }

const ListingState = words(
  'buyable',
  'hidden_locked',
  'pending_public',
  'sold',
  'cancelled',
  'expired',
  'invalidated',
  'replaced',
)
const OfEvent = {
  ...Base,
  kind: Type.Literal('listing'),
  to: ListingState,
  reason: Text,
  height: optional(Height),
  guarantee: optional(words('refused', 'anchor-spent', 'impossible')),
}
const Listing = Type.Union([
  Exactly({ ...OfEvent, from: ListingState }),
  Exactly({
    ...OfEvent,
    ...OfCollection,
    inscriptionId: InscriptionId,
    seller: Script,
    priceSats: Sats,
    coin: Coin,
    transferTxid: Txid,
    expiresAt: optional(At),
  }),
])

const OfferState = words('active', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')
const Economics = Exactly({
  priceSats: Sats,
  sellerMarketplaceFeeSats: Sats,
  buyerMarketplaceFeeSats: Sats,
  sellerCreatorRoyaltySats: Sats,
  buyerCreatorRoyaltySats: Sats,
  sellerReceiveSats: Sats,
  buyerPayTotalSats: Sats,
  marketplaceRevenueSats: Sats,
  creatorRevenueSats: Sats,
  sellerFeeBps: Bps,
  buyerFeeBps: Bps,
  sellerRoyaltyBps: Bps,
  buyerRoyaltyBps: Bps,
  royaltyScript: optional(Exactly({ hex: Script })),
})
const Offer = Type.Union([
  Exactly({
    ...Base,
    kind: Type.Literal('offer'),
    from: OfferState,
    to: OfferState,
    reason: optional(Text),
    txid: optional(Txid),
  }),
  Exactly({
    ...Base,
    ...OfCollection,
    kind: Type.Literal('offer'),
    to: Type.Literal('active'),
    inscriptionId: InscriptionId,
    buyer: Script,
    seller: Script,
    priceSats: Sats,
    postageSats: Sats,
    economics: Economics,
    expiresAt: At,
  }),
])

const CollectionOfferState = words('active', 'filled', 'cancelled', 'replaced', 'expired', 'invalidated')
const CollectionOffer = Type.Union([
  Exactly({
    ...Base,
    kind: Type.Literal('collection-offer'),
    from: CollectionOfferState,
    to: CollectionOfferState,
    reason: optional(Text),
    inscriptionId: optional(InscriptionId),
    seller: optional(Script),
    txid: optional(Txid),
  }),
  Exactly({
    ...Base,
    ...OfCollection,
    kind: Type.Literal('collection-offer'),
    to: Type.Literal('active'),
    maker: Script,
    scope: Text,
    criteria: Text,
    eligibleRoot: Hash,
    eligibleCount: Height,
    priceSats: Sats,
    expiresAt: At,
  }),
])

const ProposalState = words('active', 'accepted', 'cancelled', 'expired')
const Proposal = Type.Union([
  Exactly({
    ...Base,
    kind: Type.Literal('proposal'),
    from: ProposalState,
    to: ProposalState,
    reason: optional(Text),
  }),
  Exactly({
    ...Base,
    kind: Type.Literal('proposal'),
    to: Type.Literal('active'),
    creator: Script,
    offeredSats: Sats,
    requestedSats: Sats,
    inscriptionIds: InscriptionIds,
    wanted: Type.Array(
      Exactly({
        collection: OfCollection.collection,
        quantity: Height,
        target: Type.Object({}),
      }),
      { maxItems: 50 },
    ),
    expiresAt: At,
  }),
])

const Trade = Exactly({
  ...Base,
  kind: Type.Literal('trade'),
  to: words('sold', 'undone'),
  txid: Txid,
  height: optional(Height),
  inscriptionIds: InscriptionIds,
  proposer: Script,
  acceptor: Script,
})

const Sale = Exactly({
  ...Base,
  id: Type.String({ pattern: '^[0-9a-f]{64}:[0-9a-f]{64}i[0-9]{1,9}$' }),
  kind: Type.Literal('sale'),
  to: words('sold', 'undone'),
  txid: Txid,
  height: Height,
  inscriptionId: InscriptionId,
  seller: optional(Script),
  buyer: optional(Script),
  priceSats: Sats,
  collection: optional(OfCollection.collection),
  collectionName: optional(Text),
})

export const Change = Type.Union([Listing, Offer, CollectionOffer, Proposal, Trade, Sale])
