import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PLACES, type Place, pathOf, placeOf, queryOf, searchIn } from './places.ts'

describe('placeOf and pathOf', () => {
  it('finds the page of a path', () => {
    expect(placeOf('/')).toEqual({ place: '/', params: {} })
    expect(placeOf('/collection/harbour-lamps')).toEqual({
      place: '/collection/$slug',
      params: { slug: 'harbour-lamps' },
    })
    expect(placeOf('/collection/harbour-lamps/')?.place).toBe('/collection/$slug')
    expect(placeOf('/trades/new')).toEqual({ place: '/trades/new', params: {} })
    expect(placeOf('/trades/7f')).toEqual({ place: '/trades/$id', params: { id: '7f' } })
  })

  it('returns null for an unknown path', () => {
    for (const path of ['/nowhere', '/collection', '/collection/a/b', '/address/%E0%A4%A', '/Trades'])
      expect(placeOf(path)).toBeNull()
  })

  it('round-trips any parameter values', () => {
    const withParam = (Object.keys(PLACES) as Place[]).filter((place) => place.includes('$'))
    fc.assert(
      fc.property(
        fc.constantFrom(...withParam),
        fc.string({ minLength: 1, unit: 'grapheme' }),
        (place, value) => {
          const name = place.slice(place.indexOf('$') + 1)
          if (place === '/trades/$id' && value === 'new') return
          expect(placeOf(pathOf(place, { [name]: value }))).toEqual({ place, params: { [name]: value } })
        },
      ),
    )
  })
})

describe('searchIn and queryOf', () => {
  it('writes plain text without quotes', () => {
    expect(queryOf({ tab: 'offers', sort: undefined })).toBe('?tab=offers')
    expect(queryOf({ tab: undefined })).toBe('')
    expect(queryOf({ min: 500, listed: true })).toBe('?min=500&listed=true')
  })

  it('distinguishes numbers from strings of digits', () => {
    expect(searchIn('?q=7')).toEqual({ q: 7 })
    expect(searchIn(queryOf({ q: '7' }))).toEqual({ q: '7' })
  })

  it('reads invalid JSON as text', () => {
    expect(searchIn('?traits={&tab=offers')).toEqual({ traits: '{', tab: 'offers' })
  })

  it('round-trips any search parameters', () => {
    const json = fc.jsonValue().filter((value) => value !== undefined)
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), (search) => {
        const kept = JSON.parse(JSON.stringify(search))
        expect(searchIn(queryOf(search))).toEqual(kept)
      }),
    )
  })
})
