import { Type } from 'typebox'
import { NonnegativeSats, OfferPriceSats, PositiveSats } from '../amounts.ts'
import { Nullable } from '../choices.ts'
import { slugParams } from '../collections.ts'
import { economics, offerParams } from '../offers.ts'
import { CollectionSlugInput, InscriptionId, Text, Uuid, WalletBindingRequest } from '../scalars.ts'
import { bill, comparison, FeeRateNow, quote } from './quote-parts.ts'

/** Quotes for sellers: proceeds and reference prices. */
const walletBindingId = Type.Optional(WalletBindingRequest.properties.walletBindingId)

/** Error of the preflight for the item. */
const Refusal = Type.Object({ code: Text, error: Text }, { title: 'QuoteRefusal' })

export const quoteListing = quote('quoteListing', 'POST /collection/{slug}/listings/quote', {
  summary: 'The bill of listing 1 to 20 inscriptions, or of changing their prices. Reserves nothing.',
  description:
    'With a binding, `refused` has the reason if an item cannot be listed; the bill is for the other items. The seller also receives the postage (inscriptionUtxoValueSats), which the total excludes.',
  params: slugParams,
  body: Type.Object(
    {
      walletBindingId,
      items: Type.Array(
        Type.Object({ inscriptionId: InscriptionId, priceSats: PositiveSats }, { title: 'QuotedItem' }),
        { minItems: 1, maxItems: 20 },
      ),
    },
    { title: 'ListingQuoteRequest' },
  ),
  answer: Type.Object(
    {
      items: Type.Array(
        Type.Object(
          { inscriptionId: InscriptionId, ...economics, refused: Nullable(Refusal) },
          { title: 'ListingQuoteItem' },
        ),
        { maxItems: 20 },
      ),
      inscriptionUtxoValueSats: NonnegativeSats,
      listingMinimumSats: PositiveSats,
      ...bill,
      ...comparison,
    },
    { title: 'ListingQuote' },
  ),
})

const sale = {
  inscriptionId: InscriptionId,
  ...economics,
  /** Whether the payout includes the postage. In a fill, the postage moves with the inscription. */
  postageReturned: Type.Boolean(),
  targetFeeRateSatVb: FeeRateNow,
  estimatedNetworkFeeSats: NonnegativeSats,
  payoutSats: NonnegativeSats,
  ...bill,
  ...comparison,
}

export const quoteOfferAcceptance = quote(
  'quoteOfferAcceptance',
  'POST /inscriptions/{id}/offers/{offerId}/accept/quote',
  {
    summary: "The owner's bill of accepting an offer. Reserves nothing.",
    params: offerParams,
    body: Type.Object(
      {
        ...WalletBindingRequest.properties,
        targetFeeRateSatVb: Type.Optional(Type.Number({ minimum: 1, maximum: 20, examples: [12.5] })),
      },
      { title: 'AcceptanceQuoteRequest' },
    ),
    answer: Type.Object(sale, { title: 'AcceptanceQuote' }),
  },
)

export const quoteCounter = quote('quoteCounter', 'POST /inscriptions/{id}/offers/{offerId}/counter/quote', {
  summary: "The owner's bill of a counter to an offer. Reserves nothing.",
  description: 'The buyer pays the network fee.',
  params: offerParams,
  body: Type.Object(
    { ...WalletBindingRequest.properties, priceSats: OfferPriceSats },
    { title: 'CounterQuoteRequest' },
  ),
  answer: Type.Object(sale, { title: 'CounterQuote' }),
})

export const quoteFill = quote(
  'quoteFill',
  'POST /collection/{slug}/collection-offers/{offerId}/fill/quote',
  {
    summary: "The owner's bill of selling an inscription to a collection or trait offer. Reserves nothing.",
    description:
      "The seller pays market fees, royalty and network fee. The postage moves with the inscription. `bestBid` of the comparison is the bid with the seller's highest net.",
    params: Type.Object({ slug: CollectionSlugInput, offerId: Uuid }),
    body: Type.Object(
      { ...WalletBindingRequest.properties, inscriptionId: InscriptionId },
      { title: 'FillQuoteRequest' },
    ),
    answer: Type.Object(sale, { title: 'FillQuote' }),
  },
)
