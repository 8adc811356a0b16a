import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { btc } from '../format/format.ts'
import { grouped } from './marks.ts'
import { parseAmount, type Way } from './parse.ts'
import { amountTyped } from './typed.ts'

const LOCALES = ['en', 'de', 'de-CH', 'fr', 'es', 'pl', 'pt-BR', 'hi', 'ja', 'zh', 'ar-EG']
const USD = { currency: 'USD', perBtc: 96_412.37 }
const typed = (text: string, way: Partial<Way> = {}) =>
  parseAmount(text, { unit: 'btc', locale: 'en', fiat: null, ...way })
const exactly = (sats: number) => ({ kind: 'sats', sats, rounded: false })
const wrong = (problem: string, suggestion: string | null = null) => ({ kind: 'wrong', problem, suggestion })

describe('parsing BTC', () => {
  it.each([
    ['en', '0.01', 1_000_000],
    ['en', ' .5 ', 50_000_000],
    ['en', '1.', 100_000_000],
    ['en', '1,000', 100_000_000_000],
    ['en', '1,234.5', 123_450_000_000],
    ['en', '1 000', 100_000_000_000],
    ['de', '0,5', 50_000_000],
    ['de', '1.000', 100_000_000_000],
    ['de', '1.234,5', 123_450_000_000],
    ['de-CH', "1'000.5", 100_050_000_000],
    ['fr', '1 000,5', 100_050_000_000],
    ['es', '1.000', 100_000_000_000],
    ['hi', '1,00,000', 10_000_000_000_000],
    ['ar-EG', '0.5', 50_000_000],
  ])('parses in %s %j as %d sats', (locale, text, sats) => {
    expect(typed(text, { locale })).toEqual(exactly(sats))
  })

  it.each([
    ['en', '0,5', '0.5'],
    ['en', '1,5', '1.5'],
    ['en', '0,500', '0.500'],
    ['en', '1.000,5', '1,000.5'],
    ['en', '12,34', '12.34'],
    ['de', '0.5', '0,5'],
    ['de', '1,234.5', '1.234,5'],
  ])('rejects in %s %j and suggests %s', (locale, text, suggestion) => {
    expect(typed(text, { locale })).toEqual(wrong('marks', suggestion))
  })

  it.each([
    ['1e3', 'exponent'],
    ['1E-3', 'exponent'],
    ['0.000000001', 'decimals'],
    ['0.100000000', 'decimals'],
    ['21000000.00000001', 'most'],
    ['99999999999999999999', 'most'],
    ['one', 'unreadable'],
    ['-1', 'unreadable'],
    ['.', 'unreadable'],
    ['0x10', 'unreadable'],
    ['١', 'unreadable'],
  ])('rejects %j: %s', (text, problem) => {
    expect(typed(text)).toEqual(wrong(problem))
  })

  it('reports an amount that was rounded down', () => {
    expect(typed('0.00012345', { stepSats: 1000 })).toEqual({ kind: 'sats', sats: 12_000, rounded: true })
    expect(typed('0.00012', { stepSats: 1000 })).toEqual(exactly(12_000))
  })
})

describe('parsing sats', () => {
  const sats = (text: string, way: Partial<Way> = {}) => typed(text, { unit: 'sats', ...way })
  it('accepts thousands separators', () => {
    expect(sats('1,000')).toEqual(exactly(1000))
    expect(sats('1.000', { locale: 'de' })).toEqual(exactly(1000))
    expect(sats('1000')).toEqual(exactly(1000))
  })

  it('rejects fractions of a sat', () => {
    expect(sats('1.5')).toEqual(wrong('part-of-sat'))
    expect(sats('12345', { stepSats: 1000 })).toEqual(wrong('step', '12,000'))
    expect(sats('2100000000000001')).toEqual(wrong('most'))
  })
})

describe('parsing fiat', () => {
  const usd = (text: string, way: Partial<Way> = {}) => typed(text, { unit: 'fiat', fiat: USD, ...way })
  it('rounds fiat down to the step', () => {
    expect(usd('96412.37')).toEqual(exactly(100_000_000))
    expect(usd('1,542.40')).toEqual(exactly(1_599_794))
    expect(usd('1,542.40', { stepSats: 1000 })).toEqual({ kind: 'sats', sats: 1_599_000, rounded: true })
  })

  it('rejects fiat without an exchange rate', () => {
    expect(usd('1.005')).toEqual(wrong('decimals'))
    expect(usd('1', { fiat: null })).toEqual(wrong('unreadable'))
  })
})

const anySats = fc.integer({ min: 0, max: MAX_SATS })
const anyLocale = fc.constantFrom(...LOCALES)

it('parses every formatted amount in every locale', () => {
  fc.assert(
    fc.property(anySats, anyLocale, (sats, locale) => {
      expect(typed(btc(sats, locale), { locale })).toEqual(exactly(sats))
      expect(typed(amountTyped(sats, 'btc', null, locale), { locale })).toEqual(exactly(sats))
      const inSats = grouped(String(sats), locale)
      expect(typed(inSats, { locale, unit: 'sats' })).toEqual(exactly(sats))
    }),
  )
})

it('rounds a prefilled fiat amount up', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 ** 12 }), (sats) => {
      const read = typed(amountTyped(sats, 'fiat', USD, 'en'), { unit: 'fiat', fiat: USD })
      if (read.kind !== 'sats') throw new Error(`read as ${JSON.stringify(read)}`)
      expect(read.sats).toBeGreaterThanOrEqual(sats - 1)
      expect(read.sats - sats).toBeLessThan((0.02 / USD.perBtc) * 1e8 + 1)
    }),
  )
})

it('never throws on arbitrary text', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9.,' ]{0,20}$/))
  fc.assert(
    fc.property(text, anyLocale, fc.constantFrom('btc', 'sats', 'fiat'), (some, locale, unit) => {
      const read = typed(some, { locale, unit, fiat: USD })
      if (read.kind === 'sats')
        expect(Number.isSafeInteger(read.sats) && read.sats >= 0 && read.sats <= MAX_SATS).toBe(true)
      // A suggestion parses, unless it has another problem.
      if (read.kind === 'wrong' && read.problem === 'marks' && read.suggestion)
        expect(typed(read.suggestion, { locale, unit, fiat: USD })).not.toMatchObject({ problem: 'marks' })
    }),
  )
})
