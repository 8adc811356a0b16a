import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { satsParam, textParam, traitsParam } from './search-params.ts'

describe('search parameters of a page', () => {
  it('textParam accepts only strings', () => {
    expect(textParam('price')).toBe('price')
    for (const other of ['', 7, null, undefined, ['price'], {}]) expect(textParam(other)).toBeUndefined()
  })

  it('satsParam accepts only safe integers', () => {
    expect(satsParam(0)).toBe(0)
    expect(satsParam(1500.9)).toBe(1500)
    for (const other of [-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, '1500', null])
      expect(satsParam(other)).toBeUndefined()
  })

  it('traitsParam accepts only lists of strings', () => {
    const traits = { Hat: ['Cap', 'None'], Number: ['3'] }
    expect(traitsParam(traits)).toEqual(traits)
    expect(traitsParam({ Hat: ['Cap', 7, null], Coat: 'Red', Shoe: [], Sock: null })).toEqual({
      Hat: ['Cap'],
    })
    for (const other of [null, 'Hat', [], [['Hat', ['Cap']]], {}, { Hat: [7] }])
      expect(traitsParam(other)).toBeUndefined()
  })

  it('traitsParam never returns an invalid filter', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const values of Object.values(traitsParam(value) ?? { none: ['none'] })) {
          expect(values.length).toBeGreaterThan(0)
          expect(values.every((value) => typeof value === 'string')).toBe(true)
        }
      }),
    )
  })
})
