import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ago, amount, btc, shortAddress, shortId, title, untilDate } from './format.ts'

const anySats = fc.integer({ min: 0, max: MAX_SATS })

describe('btc', () => {
  it.each([
    [0, '0'],
    [1, '0.00000001'],
    [123_456_789, '1.23456789'],
    [100_000_000, '1'],
    [10, '0.0000001'],
    [150_000_000_000, '1,500'],
    [MAX_SATS, '21,000,000'],
    [-250_000, '−0.0025'],
  ])('formats %d sats as %s', (sats, text) => {
    expect(btc(sats)).toBe(text)
  })

  it('formats every amount exactly', () => {
    fc.assert(
      fc.property(anySats, (sats) => {
        const [whole, fraction = ''] = btc(sats).replaceAll(',', '').split('.')
        expect(BigInt(whole + fraction.padEnd(8, '0'))).toBe(BigInt(sats))
        expect(fraction).not.toMatch(/0$/)
      }),
    )
  })

  it('uses the separators of the locale', () => {
    expect(btc(123_450_000_000, 'de')).toBe('1.234,5')
    expect(btc(123_450_000_000, 'en')).toBe('1,234.5')
  })
})

it("formats amounts in the visitor's unit", () => {
  expect(amount(1_234_567, 'sats', null)).toEqual({ text: '1,234,567', unit: 'sats' })
  expect(amount(1_000_000, 'fiat', { currency: 'USD', perBtc: 5000 })).toEqual({ text: '50.00', unit: 'USD' })
  expect(amount(10_000_000, 'fiat', { currency: 'USD', perBtc: 50_000 })).toEqual({
    text: '5,000',
    unit: 'USD',
  })
  expect(amount(1_000_000, 'fiat', null)).toEqual({ text: '0.01', unit: 'BTC' })
})

it('formats a relative time in its largest unit', () => {
  const now = Date.parse('2026-01-10T00:00:00Z')
  const said = (seconds: number) => ago(new Date(now + seconds * 1000).toISOString(), now)
  expect(said(-30)).toBe('just now')
  expect(said(30)).toBe('in a moment')
  expect(said(-119)).toBe('1 min. ago')
  expect(said(-7200)).toBe('2 hr. ago')
  expect(said(3 * 86_400)).toBe('in 3 days')
})

it('shortens long names in the middle', () => {
  const address = 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'
  expect(shortAddress(address)).toBe('bc1p5cyx…kedrcr')
  expect(shortAddress('short')).toBe('short')
  expect(shortId(`${'ab'.repeat(32)}i12`)).toBe('ababab…babi12')
  expect(title('block_9_450x')).toBe('Block 9 450x')
})

it('formats an expiry as a day', () => {
  const now = Date.parse('2026-11-18T12:00:00Z')
  expect(untilDate(168, now)).toBe('25 Nov')
})
