import { Type } from 'typebox'
import { NonnegativeSats, OfferPriceSats, PositiveSats } from '../amounts.ts'
import { Nullable } from '../choices.ts'
import { slugParams } from '../collections.ts'
import { economics, offerParams } from '../offers.ts'
import { CollectionSlugInput, InscriptionId, Text, Uuid, WalletBindingRequest } from '../scalars.ts'
import { bill, comparison, FeeRateNow, quote } from './quote-parts.ts'

/** Quotes for sellers: the proceeds of a sale, and the facts that its price is compared with. */
const walletBindingId = Type.Optional(WalletBindingRequest.properties.walletBindingId)

/** The error that the preflight would return for one item. */
const Refusal = Type.Object({ code: Text, error: Text }, { title: 'QuoteRefusal' })

export const quoteListing = quote('quoteListing', 'POST /collection/{slug}/listings/quote', {
  summary: 'The bill of listing 1 to 20 inscriptions, or of new prices for them. Reserves nothing.',
  description:
    'Names with a binding why an item cannot be listed, in `refused`; the bill is for the others. The postage (inscriptionUtxoValueSats) comes back on top of the total.',
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
  /** Whether the payout includes the postage; a fill passes it on with the inscription. */
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
    summary: 'The bill of accepting an offer, for the owner of its inscription. Reserves nothing.',
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
  summary: 'The bill of a counter to an offer, for the owner of its inscription. Reserves nothing.',
  description: 'The buyer carries the network fee.',
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
    summary: 'The bill of selling an own inscription into a collection or trait offer. Reserves nothing.',
    description:
      'The seller carries fees, royalty and network. The postage goes along with the inscription. `bestBid` of the comparison is the bid that leaves the seller the most.',
    params: Type.Object({ slug: CollectionSlugInput, offerId: Uuid }),
    body: Type.Object(
      { ...WalletBindingRequest.properties, inscriptionId: InscriptionId },
      { title: 'FillQuoteRequest' },
    ),
    answer: Type.Object(sale, { title: 'FillQuote' }),
  },
)
