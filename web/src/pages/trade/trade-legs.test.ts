import { expect, it } from 'vitest'
import { type Leg, MAX_WANTED, newLeg, targetOfLeg, toggledIn } from './trade-legs.ts'
import type { Pick } from './trade-picks.tsx'

const lamps = { slug: 'lamps', name: 'Lamps' }
const pick = (n: number, collection: Pick['collection'] = lamps): Pick => ({
  inscriptionId: `${n}i0`,
  name: `Lamp #${n}`,
  contentType: 'image/png',
  imageRenderingHint: null,
  sats: 1000,
  collection,
})
const idsOf = (legs: readonly Leg[]) =>
  legs.map(({ slug, quantity, picks }) => [slug, quantity, ...picks.keys()])
const after = (legs: readonly Leg[], ...picks: Pick[]) => picks.reduce(toggledIn, legs)

it('groups items by collection', () => {
  const buoy = pick(9, { slug: 'buoys', name: 'Buoys' })
  const both = after([], pick(1), buoy, pick(2))
  expect(idsOf(both)).toEqual([
    ['lamps', 2, '1i0', '2i0'],
    ['buoys', 1, '9i0'],
  ])
  expect(targetOfLeg(both[0]!)).toEqual({ kind: 'inscriptions', inscriptionIds: ['1i0', '2i0'] })
  expect(idsOf(after(both, buoy, pick(1)))).toEqual([['lamps', 1, '2i0']])
  expect(after(both, pick(1), pick(2), buoy)).toEqual([])
})

it('turns a leg for any item into named items', () => {
  const any = { ...newLeg(lamps), quantity: 3, isOpen: true }
  const named = after([any], pick(1))
  expect(idsOf(named)).toEqual([['lamps', 1, '1i0']])
  const none = after(named, pick(1))
  expect(idsOf(none)).toEqual([['lamps', 1]])
  expect(targetOfLeg(none[0]!)).toEqual({ kind: 'all' })
})

it('rejects items without a collection', () => {
  expect(after([], pick(1, null))).toEqual([])
  const full = after([], ...Array.from({ length: MAX_WANTED + 1 }, (_, n) => pick(n)))
  expect(full[0]!.picks.size).toBe(MAX_WANTED)
})
