import { expect, it } from 'vitest'
import { eventText } from './inbox-events.ts'

type Event = Parameters<typeof eventText>[0]
const event = (kind: Event['kind'], more: Partial<Event> = {}): Event => ({
  eventId: '1',
  kind,
  at: '2026-11-28T12:00:00Z',
  isRead: false,
  inscriptionId: 'i0',
  name: 'Harbour Lamp #7',
  contentType: null,
  imageRenderingHint: null,
  collectionSlug: 'harbour-lamps',
  collectionName: 'Harbour Lamps',
  verificationStatus: 'verified',
  collectionFloorSats: null,
  proposalId: null,
  priceSats: 88_000,
  expiresAt: '2026-11-28T17:00:00Z',
  listing: null,
  client: null,
  ...more,
})
const listing = (endedBy: NonNullable<Event['listing']>['endedBy'], isHeld: boolean) => ({
  listing: { endedBy, isHeld },
})

it.each([
  [
    listing(null, true),
    /^If you do nothing, your listing at 0\.00088 BTC ends on .*you can list the item again\.$/,
  ],
  [{}, /^If you do nothing, your offer of 0\.00088 BTC ends on .*you can make the offer again\.$/],
  [
    { proposalId: 'p', priceSats: null },
    /^If you do nothing, your trade proposal ends on .*you can make the proposal again\.$/,
  ],
])('names the order that ends soon: %j', (more, expected) => {
  expect(eventText(event('expiring', more))[1]).toMatch(expected)
})

it.each([
  [listing('expiry', true), /^It expired\. The item is still yours\./],
  [listing('expiry', false), /^It expired\. You do not hold the item now\.$/],
  [listing('move', true), /^The item moved to another coin\. The item is still yours\./],
  [listing('cancel', true), /^It was cancelled or replaced\. The item is still yours\./],
  [listing('sale', false), /^A purchase that was signed before it ended has confirmed\.$/],
  [listing(null, true), /^It is open again, because the block that ended it was replaced\.$/],
  [listing('move', false), /^The item moved to another coin\. You do not hold the item now\.$/],
])('says why a listing ended and whose the item is: %j', (more, expected) => {
  expect(eventText(event('listing_ended', more))[1]).toMatch(expected)
})
