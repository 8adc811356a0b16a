import { Type } from 'typebox'
import { NonnegativeSats, PositiveSats } from '../amounts.ts'
import { Nullable } from '../choices.ts'
import { slugParams } from '../collections.ts'
import { economics, offerParams } from '../offers.ts'
import { InscriptionId, Text, WalletBindingRequest } from '../scalars.ts'
import { bill, comparison, FeeRateNow, quote } from './quote-parts.ts'

/** Quotes for sellers: the proceeds of a sale, and the facts that its price is compared with. */
const walletBindingId = Type.Optional(WalletBindingRequest.properties.walletBindingId)

/** The refusal that the preflight would answer with for one item. */
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
  /** Whether the postage comes back with the payout; a fill passes it on with the inscription. */
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
