import { openapiDocument } from '@ordbook/http/documents/openapi.ts'
import { expect, it } from 'vitest'
import { differences, interfaceOf } from './differences.ts'
import { readInterface } from './read-interface.ts'

/** Accepted differences between the served and the published interface, with reasons. */
const RECORDED = [
  // A call to decline bids.
  'POST /inscriptions/{id}/decline-bids: added',
  // Client generators do not support constants that are not strings, and patterns of nullable strings in a union.
  'CollectionFloorStatsResponse.success (answer): boolean added',
  ...['FundingEntry', 'SubmittedCollectionOffer'].flatMap((title) => [
    `${title}.fundingBroadcasted (answer): boolean added`,
    `${title}.fundingParentFeeRateSatVb (answer): integer added`,
  ]),
  ...['settlementTxid', 'payoutTxid'].map(
    (name) => `HistoryEvent.${name} (answer): pattern undefined for ^[a-f0-9]{64}$`,
  ),
  // Other contents of a coin, shown before a signature.
  'CollectionOfferPreflightResponse (answer): carries added',
  'CollectionWideOfferFillPreflightResponse (answer): carries added',
  'CounterAcceptPreflightResponse (answer): carries added',
  'CounterPreflightResponse (answer): carries added',
  'ListingPreflightResponse (answer): carries added',
  'OfferAcceptPreflightResponse (answer): carries added',
  'PurchasePreflightResponse (answer): carries added',
  // A coin has at most one listing: the preflight returns the listings that the submit ends.
  'ListingPreflightResponse (answer): replaces added',
  // Escrow forms and generations.
  'CounterPreflightRequest (request): escrowForm added',
  'CounterSubmitRequest (request): escrowForm added',
  'CounterPreflightResponse (answer): generation added',
  'ListingPreflightRequest (request): escrowForm added',
  'ListingSubmitRequest (request): escrowForm added',
  'ListingPreflightEntry (answer): generation added',
  // Offers that cannot be accepted at present, and offers that depend on the same coins.
  'BookRow (answer): executable added',
  'OfferRow (answer): executable added',
  'ProfileOfferRow (answer): executable added',
  'FundingEntry (answer): sharesCoinsWith added',
  'SubmittedCollectionOffer (answer): sharesCoinsWith added',
  // A buyer needs the value of the inscription's coin to verify a purchase.
  'Listing (answer): locationValueSats added',
  'listListings query.sort (request): "expiring" added',
  // The prose of the published interface also lists the signer per input. Requests may omit fields of the step.
  'InputToSign (answer): signerAddress added',
  'InputToSign (request): signerAddress added',
  'InputToSign (request): address optional',
  'ListingPsbtStep (request): inscriptionId optional',
  // Files and wallets insert line breaks into base64.
  ...['ListingPsbtStep', 'PsbtStep', 'RecoveryPsbt'].map(
    (title) =>
      `${title}.psbtBase64 (request): pattern ^[A-Za-z0-9+/\\s]+={0,2}\\s*$ for ^[A-Za-z0-9+/]+={0,2}$`,
  ),
  // All response schemas of the proposals feed are closed.
  'AllTarget (answer): closed or open',
  'TraitGroup (answer): closed or open',
  'TraitsTarget (answer): closed or open',
  'WantedInscriptions (answer): closed or open',
]

const published = readInterface()
const served = () => structuredClone(openapiDocument('http://market.example')) as any
const unrecorded = (document: unknown) =>
  differences(published, interfaceOf(document)).filter((difference) => !RECORDED.includes(difference))

it('the API matches the published interface', () => {
  expect(differences(published, interfaceOf(served()))).toEqual(RECORDED.toSorted())
})

it('readInterface parses all operations', () => {
  expect(published.operations.size).toBe(36)
  const names = [...JSON.stringify([...published.operations.values()]).matchAll(/schemas\/(\w+)/g)]
  expect(names.filter(([, name]) => !published.schemas[name!])).toEqual([])
})

it.each<[string, (schemas: any, document: any) => void, string]>([
  [
    'a removed field',
    (schemas) => delete schemas.Listing.properties.sellerAddress,
    'Listing (answer): sellerAddress removed',
  ],
  [
    'a response field that became optional',
    (schemas) => schemas.Listing.required.shift(),
    'Listing (answer): listingId optional',
  ],
  [
    'a changed type',
    (schemas) => {
      schemas.Sale.properties.price = { type: 'string' }
    },
    'Sale.price (answer): string added',
  ],
  [
    'a number that became an integer',
    (schemas) => {
      schemas.Sale.properties.price.type = 'integer'
    },
    'Sale.price (answer): number removed',
  ],
  [
    'a removed enum value',
    (schemas) => schemas.OfferActionResponse.properties.status.enum.pop(),
    'OfferActionResponse.status (answer): "invalidated" removed',
  ],
  [
    'a new null',
    (schemas) => {
      schemas.Listing.properties.listingId = { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] }
    },
    'Listing.listingId (answer): null added',
  ],
  [
    'a narrower pattern',
    (schemas) => {
      schemas.OfferAcceptPreflightRequest.properties.ordinalsPublicKey.pattern = '^[a-f0-9]{64}$'
    },
    'OfferAcceptPreflightRequest.ordinalsPublicKey (request): pattern ^[a-f0-9]{64}$ for ^([a-f0-9]{64}|0[23][a-f0-9]{64})$',
  ],
  [
    'a new required request field',
    (schemas) => {
      schemas.PurchasePreflightRequest.properties.reason = { type: 'string' }
      schemas.PurchasePreflightRequest.required.push('reason')
    },
    'PurchasePreflightRequest (request): reason added, required',
  ],
  ['a removed operation', (_, { paths }) => delete paths['/sales'], 'GET /sales: removed'],
  [
    'a removed status code',
    (_, { paths }) => delete paths['/sales'].get.responses[429],
    'GET /sales: status 429 removed',
  ],
  [
    'a removed parameter',
    (_, { paths }) => paths['/sales'].get.parameters.pop(),
    'listSales query (request): collectionSlug removed',
  ],
])('differences reports %s', (_, change, difference) => {
  const document = served()
  change(document.components.schemas, document)
  expect(unrecorded(document)).toContain(difference)
})
