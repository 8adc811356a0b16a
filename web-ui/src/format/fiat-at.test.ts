import { expect, it } from 'vitest'
import { parseAmount } from '../money/parse.ts'
import { fiatAt } from './fiat-at.ts'
import { amount } from './format.ts'

const at = '2026-11-28T12:00:00.000Z'
const after = (minutes: number) =>
  fiatAt({ currency: 'USD', perBtc: 90_000, at }, Date.parse(at) + minutes * 60_000)
const typed = (fiat: ReturnType<typeof after>) => parseAmount('90', { unit: 'fiat', locale: 'en', fiat })

it('fiatAt marks a rate of more than ten minutes, and hides it after a day', () => {
  expect(after(10)).toEqual({ currency: 'USD', perBtc: 90_000 })
  expect(after(11)).toEqual({ currency: 'USD', perBtc: 90_000, isStale: true })
  expect(after(24 * 60)).toMatchObject({ isStale: true })
  expect(after(24 * 60 + 1)).toBe(null)
  expect(fiatAt({ currency: 'USD', perBtc: 1, at: null }, Date.now())).toEqual({ currency: 'USD', perBtc: 1 })
  expect(fiatAt(null, 0)).toBe(null)
})

it('an old rate is named and rejects typed amounts', () => {
  expect(amount(100_000, 'fiat', after(1))).toEqual({ text: '90.00', unit: 'USD' })
  expect(amount(100_000, 'fiat', after(11))).toEqual({ text: '90.00', unit: 'USD (old rate)' })
  expect(amount(100_000, 'fiat', after(2000))).toEqual({ text: '0.001', unit: 'BTC' })
  expect(typed(after(1))).toMatchObject({ kind: 'sats', sats: 100_000 })
  expect(typed(after(11))).toMatchObject({ kind: 'wrong', problem: 'rate' })
})
