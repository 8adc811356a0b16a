import { type TObject, Type } from 'typebox'
import { PositiveSats, positiveSats } from './amounts.ts'
import { batchOf } from './batch-of.ts'
import { carries } from './carried.ts'
import { DefaultOneOf, EscrowForm, Nullable } from './choices.ts'
import { ListingCollection, location, slugParams } from './collections.ts'
import { DurationDays } from './duration-schemas.ts'
import { operation, STD } from './operation.ts'
import { pageOf, pageQuery } from './paging.ts'
import {
  Address,
  CollectionSlugInput,
  DateTime,
  Generation,
  InscriptionId,
  Text,
  Uuid,
  WalletBindingRequest,
} from './scalars.ts'
import {
  exampleStep,
  ListingPsbtStep,
  ownerRequest,
  RecoveryPsbt,
  SignedListingPsbtStep,
  SignedRecoveryPsbt,
} from './signing.ts'

const ListedItem = Type.Object({ inscriptionId: InscriptionId, listingId: Uuid }, { title: 'ListedItem' })

const ListingRequestItem = Type.Object(
  { inscriptionId: InscriptionId, priceSats: PositiveSats },
  { title: 'ListingRequestItem' },
)

const Listing = Type.Object(
  {
    listingId: Uuid,
    inscriptionId: InscriptionId,
    inscriptionNumber: Text,
    inscriptionName: Text,
    collection: ListingCollection,
    sellerAddress: Address,
    priceSats: positiveSats('The price in sats, without buyer fees and postage.'),
    listedAt: DateTime,
    listingExpiresAt: Nullable(DateTime),
    ...location,
    locationValueSats: Type.Optional(positiveSats('Value of that coin, the postage.')),
  },
  { title: 'Listing' },
)

const transferAndLeg = <const Step extends TObject>(step: Step) =>
  Type.Array(step, {
    minItems: 2,
    maxItems: 2,
    description: 'The transfer, then the leg.',
    examples: [
      [exampleStep(step, { stepIndex: 0, sigHash: 0 }), exampleStep(step, { stepIndex: 1, sigHash: 131 })],
    ],
  })

export const listListings = operation({
  id: 'listListings',
  method: 'GET',
  path: '/listings',
  area: 'Listings',
  summary: 'The order book: active listings that can be bought, sorted by date, price or expiry.',
  description: 'An unknown collectionSlug returns an empty page.',
  query: Type.Object({
    ...pageQuery(50),
    sort: DefaultOneOf('recent', 'price', 'expiring'),
    collectionSlug: Type.Optional(CollectionSlugInput),
    inscriptionId: Type.Optional(InscriptionId),
    sellerAddress: Type.Optional(Address),
  }),
  answer: pageOf('ListingsResponse', { listings: Type.Array(Listing) }),
  statuses: [400, 401, 403, 429, 503],
  token: true,
  sameForAll: true,
  bucket: 'reads',
})

const request = {
  ...ownerRequest,
  escrowForm: Type.Optional(EscrowForm),
  items: batchOf(ListingRequestItem),
}

export const preflightListing = operation({
  id: 'preflightListing',
  method: 'POST',
  path: '/collection/{slug}/listings/preflight',
  area: 'Listings',
  summary:
    'Prepare a listing. Returns for each item the transfer and the settlement leg to sign, and one recovery.',
  description:
    "Returns 409 `inscription-in-escrow` if an inscription is in its owner's escrow. To list it, use `POST /escrows/relist/preflight`.",
  params: slugParams,
  body: Type.Object(request, { title: 'ListingPreflightRequest' }),
  answer: Type.Object(
    {
      listings: batchOf(
        Type.Object(
          {
            inscriptionId: InscriptionId,
            anchorUtxoId: Uuid,
            generation: Type.Optional(Generation),
            psbts: transferAndLeg(ListingPsbtStep),
          },
          { title: 'ListingPreflightEntry' },
        ),
      ),
      recoveryPsbt: RecoveryPsbt,
      replaces: Type.Optional(
        Type.Array(ListedItem, {
          description:
            'Active listings that the submit ends, because a coin can have only one listing, also if it contains several inscriptions. Omitted if there are none.',
        }),
      ),
      ...carries,
    },
    { title: 'ListingPreflightResponse' },
  ),
  statuses: STD,
  token: true,
  bucket: 'writes',
})

const listed = batchOf(ListedItem)

export const submitListing = operation({
  id: 'submitListing',
  method: 'POST',
  path: '/collection/{slug}/listings/submit',
  area: 'Listings',
  summary: 'Publish a prepared listing with its signed PSBTs. Nothing is broadcast until it sells.',
  params: slugParams,
  body: Type.Object(
    {
      ...request,
      durationDays: Type.Optional(DurationDays),
      anchors: batchOf(
        Type.Object({ inscriptionId: InscriptionId, anchorUtxoId: Uuid }, { title: 'ListingAnchor' }),
      ),
      signed: batchOf(
        Type.Object(
          {
            inscriptionId: InscriptionId,
            psbts: transferAndLeg(SignedListingPsbtStep),
          },
          { title: 'SignedListing' },
        ),
      ),
      signedRecoveryPsbt: SignedRecoveryPsbt,
    },
    { title: 'ListingSubmitRequest' },
  ),
  answer: Type.Object({ listings: listed }, { title: 'ListingSubmitResponse' }),
  statuses: STD,
  token: true,
  bucket: 'writes',
})

export const delistListing = operation({
  id: 'delistListing',
  method: 'POST',
  path: '/collection/{slug}/listings/delist',
  area: 'Listings',
  summary: 'Cancel listings. Free and immediate, because listings are not on the chain.',
  params: slugParams,
  body: Type.Object(
    { ...WalletBindingRequest.properties, listings: listed },
    { title: 'ListingDelistRequest' },
  ),
  answer: Type.Object({ listings: listed }, { title: 'ListingDelistResponse' }),
  statuses: STD,
  token: true,
  bucket: 'writes',
  whileBehind: true,
})
