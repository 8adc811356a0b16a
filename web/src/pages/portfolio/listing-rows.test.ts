import { expect, it } from 'vitest'
import { type OwnListing, rowsOf } from './listing-rows.ts'

const about = {
  contentType: null,
  imageRenderingHint: null,
  collectionSlug: 'lamps',
  collectionName: 'Lamps',
  verificationStatus: 'verified' as const,
  collectionFloorSats: 1000,
}
const listing = (inscriptionId: string, more: Partial<OwnListing> = {}): OwnListing => ({
  ...about,
  listingId: `listing of ${inscriptionId}`,
  inscriptionId,
  name: inscriptionId,
  state: 'buyable',
  priceSats: 5000,
  receiveSats: 4900,
  listedAt: '2026-01-01T00:00:00Z',
  expiresAt: null,
  endedAt: null,
  isInEscrow: false,
  ...more,
})
type Holding = Parameters<typeof rowsOf>[1][number]
const holding = (inscriptionId: string, more: Partial<Holding> = {}): Holding => ({
  ...about,
  inscriptionId,
  inscriptionNumber: 1,
  name: inscriptionId,
  topOfferSats: null,
  listingId: null,
  listingState: null,
  priceSats: null,
  traits: [],
  outpoint: { txid: '00', vout: 0, valueSats: 546 },
  ...more,
})

it('has one row per item, listings first', () => {
  const rows = rowsOf(
    [listing('a')],
    [holding('b'), holding('a', { listingId: 'x', listingState: 'buyable', priceSats: 5000 })],
  )
  expect(rows.map(({ name, listedSats, startSats }) => [name, listedSats, startSats])).toEqual([
    ['a', 5000, 5000],
    ['b', null, null],
  ])
})

it('begins an ended listing at its last price, as not listed', () => {
  const [row] = rowsOf([listing('a', { state: 'expired', endedAt: '2026-01-02T00:00:00Z' })], [holding('a')])
  expect(row).toMatchObject({ listedSats: null, listingId: null, startSats: 5000, status: 'Expired' })
})

it('locks items that are being bought', () => {
  const [row] = rowsOf([listing('a', { state: 'hidden_locked' })], [])
  expect(row).toMatchObject({ isLocked: true, status: 'Sale pending' })
})

it('omits items in escrow and items without a collection', () => {
  const rows = rowsOf(
    [listing('escrowed', { isInEscrow: true })],
    [holding('escrowed'), holding('loose', { collectionSlug: null })],
  )
  expect(rows).toEqual([])
})
