import { expect, it } from 'vitest'
import { money, readAmount } from './amounts.ts'
import { UsageError } from './failure.ts'

it.each([
  ['250000', 250_000],
  ['250_000', 250_000],
  ['1_250_000', 1_250_000],
  ['0.0025btc', 250_000],
  ['1BTC', 100_000_000],
  ['20999999.99999999btc', 2_099_999_999_999_999],
])('parses %s as %d sats', (text, sats) => {
  expect(readAmount(text, '--price')).toBe(sats)
})

it.each([
  '',
  '-1',
  '1.5',
  '1,000',
  '0.000000001btc',
  '21000001btc',
  '1e5',
  '25_00',
  '12345_678',
  '_000',
  ' 1',
])('rejects the ambiguous or invalid amount %j', (text) => {
  expect(() => readAmount(text, '--price')).toThrow(UsageError)
})

it('formats amounts in sats and BTC', () => {
  expect(money(250_000)).toBe('250,000 sats (0.00250000 BTC)')
  expect(money(-123_456_789)).toBe('-123,456,789 sats (-1.23456789 BTC)')
  expect(money(0)).toBe('0 sats (0.00000000 BTC)')
})
