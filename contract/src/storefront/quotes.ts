import { Type } from 'typebox'
import { Fills, SwapItem } from '../acceptances.ts'
import {
  CollectionWideOfferPriceSats,
  MAX_SATS,
  NonnegativeSats,
  OfferPriceSats,
  PositiveSats,
} from '../amounts.ts'
import { Nullable, OneOf } from '../choices.ts'
import { CollectionOfferTarget } from '../collection-offers.ts'
import { slugParams } from '../collections.ts'
import { economics, offerParams } from '../offers.ts'
import { proposedTerms } from '../proposals.ts'
import { PurchaseEconomicsItem, PurchaseListing } from '../purchases.ts'
import { InscriptionId, Text, Uuid, WalletBindingRequest } from '../scalars.ts'
import {
  bill,
  CollectionComparison,
  comparison,
  funds,
  payingWallet,
  quote,
  SignedSats,
} from './quote-parts.ts'
import { Count } from './read.ts'

/** Quotes for buyers: the bill of the preflight, and reference prices. A quote reserves and stores nothing. */
const keepOffers = {
  keepOffers: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Select only coins that back no active offer of the wallet, so that its offers stay active.',
    }),
  ),
}

const GoneListing = Type.Object(
  {
    ...PurchaseListing.properties,
    reason: OneOf('sold', 'being-bought', 'delisted', 'repriced', 'expired', 'moved', 'own', 'unknown'),
    /** Listing that replaced it. */
    replacedBy: Nullable(
      Type.Object({ listingId: Uuid, priceSats: PositiveSats }, { title: 'ReplacingListing' }),
    ),
  },
  { title: 'GoneListing' },
)

export const quotePurchase = quote('quotePurchase', 'POST /collection/{slug}/purchases/quote', {
  summary: 'The bill of a purchase of 1 to 20 listings. Reserves nothing.',
  description:
    '`gone` contains listings that can no longer be bought; the bill is for the others. Fields are as in the preflight.',
  params: slugParams,
  body: Type.Object(
    {
      ...payingWallet,
      ...keepOffers,
      listings: Type.Array(PurchaseListing, { minItems: 1, maxItems: 20 }),
      roundUpDonation: Type.Optional(Type.Boolean({ default: false })),
    },
    { title: 'PurchaseQuoteRequest' },
  ),
  answer: Type.Object(
    {
      listings: Type.Array(PurchaseEconomicsItem, { maxItems: 20 }),
      gone: Type.Array(GoneListing, { maxItems: 20 }),
      estimatedPackageVsize: Count,
      estimatedNetworkFeeSats: NonnegativeSats,
      cpfpFeeSats: NonnegativeSats,
      listingTransferFeeSats: NonnegativeSats,
      donationSats: NonnegativeSats,
      totalBuyerCostSats: NonnegativeSats,
      ...bill,
      ...funds,
      ...comparison,
    },
    { title: 'PurchaseQuote' },
  ),
})

export const quoteOffers = quote('quoteOffers', 'POST /collection/{slug}/offers/quote', {
  summary: 'The bill of offers on 1 to 20 inscriptions. Reserves nothing.',
  description:
    'The same coins back all offers of a request, so the first accepted offer ends the others, and the bill is for the most expensive one. minimumSats is the current minimum offer on the item.',
  params: slugParams,
  body: Type.Object(
    {
      ...payingWallet,
      ...keepOffers,
      inscriptionIds: Type.Array(InscriptionId, { minItems: 1, maxItems: 20 }),
      priceSats: OfferPriceSats,
    },
    { title: 'OfferQuoteRequest' },
  ),
  answer: Type.Object(
    {
      items: Type.Array(
        Type.Object(
          {
            inscriptionId: InscriptionId,
            ...economics,
            estimatedNetworkFeeSats: NonnegativeSats,
            totalBuyerCostSats: PositiveSats,
            minimumSats: NonnegativeSats,
            minimumReason: Text,
            listingId: Nullable(Uuid),
            listingPriceSats: Nullable(PositiveSats),
          },
          { title: 'OfferQuoteItem' },
        ),
        { maxItems: 20 },
      ),
      ...bill,
      ...funds,
      ...comparison,
    },
    { title: 'OfferQuote' },
  ),
})

export const quoteCollectionOffers = quote(
  'quoteCollectionOffers',
  'POST /collection/{slug}/collection-offers/quote',
  {
    summary: 'The bill of collection or trait offers, alone or as a ladder. Reserves nothing.',
    description:
      'Offers that share a coin (sharesCoinsWith, by position) are alternatives. The bill is for the most expensive set that can be filled together. A seller pays all fees of a fill.',
    params: slugParams,
    body: Type.Object(
      {
        ...payingWallet,
        ...keepOffers,
        target: CollectionOfferTarget,
        priceSats: CollectionWideOfferPriceSats,
        offerCount: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 1 })),
        ladderStepSats: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_SATS, default: 0 })),
      },
      { title: 'CollectionOfferQuoteRequest' },
    ),
    answer: Type.Object(
      {
        offers: Type.Array(
          Type.Object(
            {
              priceSats: PositiveSats,
              totalBuyerCostSats: PositiveSats,
              /** Seller's net at the current fee rate. */
              sellerNetSats: NonnegativeSats,
              sharesCoinsWith: Type.Array(Type.Integer({ minimum: 0, maximum: 9 }), { maxItems: 9 }),
            },
            { title: 'CollectionOfferQuoteEntry' },
          ),
          { maxItems: 10 },
        ),
        eligibleCount: Count,
        targetFloorSats: Nullable(PositiveSats),
        ...bill,
        ...funds,
        collection: CollectionComparison,
      },
      { title: 'CollectionOfferQuote' },
    ),
  },
)

export const quoteCounterAcceptance = quote(
  'quoteCounterAcceptance',
  'POST /inscriptions/{id}/offers/{offerId}/counter/accept/quote',
  {
    summary: "The buyer's bill of accepting a counter; offerId is the counter's id. Reserves nothing.",
    params: offerParams,
    body: Type.Object(
      { ...WalletBindingRequest.properties, spendableUtxos: payingWallet.spendableUtxos },
      { title: 'CounterAcceptanceQuoteRequest' },
    ),
    answer: Type.Object(
      {
        inscriptionId: InscriptionId,
        ...economics,
        estimatedNetworkFeeSats: NonnegativeSats,
        totalBuyerCostSats: PositiveSats,
        ...bill,
        ...funds,
        ...comparison,
      },
      { title: 'CounterAcceptanceQuote' },
    ),
  },
)

export const quoteAcceptance = quote('quoteAcceptance', 'POST /proposals/{proposalId}/acceptances/quote', {
  summary: "The acceptor's bill of accepting a trade proposal. Reserves nothing.",
  description:
    "The acceptor pays the network fee and the market's fee. totalSats is the balance change of the acceptor's payment address, negative if the acceptor pays. The postage moves with each inscription.",
  params: Type.Object({ proposalId: Uuid }),
  body: Type.Object(
    {
      ...WalletBindingRequest.properties,
      fills: Fills,
      spendableUtxos: payingWallet.spendableUtxos,
    },
    { title: 'SwapQuoteRequest' },
  ),
  answer: Type.Object(
    {
      items: Type.Array(SwapItem, { maxItems: 100 }),
      marketplaceFeeSats: NonnegativeSats,
      networkFeeSats: NonnegativeSats,
      acceptorNetSats: SignedSats,
      proposerNetSats: SignedSats,
      ...bill,
      ...funds,
    },
    { title: 'SwapQuote' },
  ),
})

export const quoteProposal = quote('quoteProposal', 'POST /proposals/quote', {
  summary: "The maker's bill of a trade proposal. Reserves nothing.",
  description:
    "The maker pays or receives only the proposed sats: totalSats is the balance change of the maker's payment address. The acceptor pays marketplaceFeeSats and estimatedNetworkFeeSats. Values are estimated from floors, as in the proposal.",
  body: Type.Object(
    {
      ...WalletBindingRequest.properties,
      ...proposedTerms,
      ...keepOffers,
      spendableUtxos: payingWallet.spendableUtxos,
    },
    { title: 'ProposalQuoteRequest' },
  ),
  answer: Type.Object(
    {
      estimatedOfferedValueSats: NonnegativeSats,
      estimatedRequestedValueSats: NonnegativeSats,
      marketplaceFeeSats: NonnegativeSats,
      estimatedNetworkFeeSats: NonnegativeSats,
      ...bill,
      ...funds,
    },
    { title: 'ProposalQuote' },
  ),
})
