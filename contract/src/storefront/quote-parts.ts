import { Type } from 'typebox'
import { Bps, MAX_SATS, NonnegativeSats, PositiveSats } from '../amounts.ts'
import { Nullable, OneOf, VerificationStatus } from '../choices.ts'
import { FULL, operationsWith } from '../operation.ts'
import { CollectionSlug, InscriptionId, Text, Uuid } from '../scalars.ts'
import { PreferredUtxos, SpendableUtxo } from '../signing.ts'
import { SameName } from './collections.ts'
import { BestBid } from './inscriptions.ts'
import { Count } from './read.ts'

/** Defines a quote: a public read that uses POST because it can list coins. */
export const quote = operationsWith({
  area: 'Storefront',
  bucket: 'web-reads',
  statuses: FULL,
  token: true,
})

export const payingWallet = {
  walletBindingId: Type.Optional(
    Type.String({
      format: 'uuid',
      description: "One of the session's bindings. Without it, the network fee is an estimate.",
      examples: ['3f2b8c1e-5d74-4a09-9c1b-0e6f7a2d4b58'],
    }),
  ),
  spendableUtxos: Type.Optional(PreferredUtxos),
}

export const SignedSats = Type.Integer({ minimum: -MAX_SATS, maximum: MAX_SATS, examples: [-500] })

const BillRow = Type.Object(
  {
    kind: OneOf(
      'price',
      'marketplaceFee',
      'creatorRoyalty',
      'postage',
      'networkFee',
      'cpfpFee',
      'sellerTransfers',
      'donation',
      'bitcoinReceived',
      'bitcoinPaid',
    ),
    sats: SignedSats,
    rateBps: Nullable(Bps),
  },
  { title: 'BillRow' },
)

/** An itemized bill. Rows add up to the total; a seller's deductions are negative. */
export const bill = {
  bill: Type.Array(BillRow, { maxItems: 20 }),
  totalSats: SignedSats,
}

export const FeeRateNow = Type.Number({ exclusiveMinimum: 0, examples: [12.5] })

const BackedOrder = Type.Object(
  {
    offerId: Uuid,
    kind: OneOf('offer', 'collection-offer'),
    inscriptionId: Nullable(InscriptionId),
    collectionSlug: CollectionSlug,
    scopeLabel: Nullable(Text),
    priceSats: PositiveSats,
    /** Whether the new offer ends this one immediately. Otherwise the first accepted offer ends the other. */
    replaced: Type.Boolean(),
  },
  { title: 'BackedOrder' },
)

export const funds = {
  exact: Type.Boolean({
    description: "Whether the amounts equal the preflight's. Otherwise the network fee is an estimate.",
  }),
  targetFeeRateSatVb: FeeRateNow,
  availableSats: Nullable(NonnegativeSats),
  missingSats: Nullable(NonnegativeSats),
  selectedPaymentUtxos: Type.Array(SpendableUtxo, {
    description: 'The coins that the preflight would select. Pass them as its spendableUtxos.',
  }),
  sharesCoinWith: Type.Array(BackedOrder, {
    maxItems: 100,
    description: "The wallet's active offers that share one of the selected coins.",
  }),
}

export const CollectionComparison = Type.Object(
  {
    collectionSlug: CollectionSlug,
    collectionName: Text,
    verificationStatus: VerificationStatus,
    sameNameAs: Nullable(SameName),
    floorSats: Nullable(PositiveSats),
    topOfferSats: Nullable(PositiveSats),
  },
  { title: 'CollectionComparison' },
)

export const ItemComparison = Type.Object(
  {
    inscriptionId: InscriptionId,
    lastSaleSats: Nullable(PositiveSats),
    /** The item's trait with the highest floor. */
    traitFloor: Nullable(
      Type.Object({ type: Text, value: Text, floorSats: PositiveSats }, { title: 'TraitFloor' }),
    ),
    /** Price range of the last ten sales of items with that trait. */
    traitSales: Nullable(
      Type.Object({ leastSats: PositiveSats, mostSats: PositiveSats, count: Count }, { title: 'TraitSales' }),
    ),
    topOfferSats: Nullable(PositiveSats),
    bestBid: Nullable(BestBid),
  },
  { title: 'ItemComparison' },
)

export const comparison = {
  collection: CollectionComparison,
  comparisons: Type.Array(ItemComparison, { maxItems: 20 }),
}
