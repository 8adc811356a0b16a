import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listFieldsIn, offerFieldsIn } from './fields.ts'

const price = { text: '0,5', unit: 'btc' }

it('restores the fields of an offer', () => {
  expect(offerFieldsIn({ price, hours: 168 })).toEqual({ price, hours: 168 })
})

it('drops malformed amounts of a listing', () => {
  const kept = {
    chosen: ['a', 1],
    prices: { a: price, b: { text: 1, unit: 'btc' }, c: { ...price, filledSats: 5, wasSats: '5' } },
    again: { a: { unit: 'x' } },
    days: 30,
  }
  expect(listFieldsIn(kept)).toEqual({
    chosen: ['a'],
    prices: { a: price, c: { ...price, filledSats: 5 } },
    again: {},
    days: 30,
  })
})

it('returns null for malformed fields', () => {
  expect([offerFieldsIn({ price: 1, hours: 1 }), offerFieldsIn({ price }), listFieldsIn([])]).toEqual([
    null,
    null,
    null,
  ])
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      offerFieldsIn(value)
      listFieldsIn(value)
    }),
  )
})
