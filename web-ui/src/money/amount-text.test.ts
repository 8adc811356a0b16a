import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type AmountText, confirmed, filledAmount, inUnit, satsIn } from './amount-text.ts'
import type { Unit } from './units.ts'

const USD = { currency: 'USD', perBtc: 90_000 }
const btc = (text: string): AmountText => ({ text, unit: 'btc' })
const units = fc.constantFrom<Unit>('btc', 'sats', 'fiat')

it('keeps typed digits when the unit changes', () => {
  expect(inUnit(btc('150000'), 'sats', null).text).toBe('150000')
  expect(inUnit({ text: '150000', unit: 'sats' }, 'btc', null).text).toBe('150000')
})

it('asks before an amount counts that changed above a factor of 1,000', () => {
  const asked = inUnit(btc('150000'), 'sats', null)
  expect(asked.wasSats).toBe(15_000_000_000_000)
  expect(satsIn(asked, null)).toBeNull()
  expect(satsIn(confirmed(asked), null)).toBe(150_000)
  // 1 USD is 1,111 sats.
  expect(inUnit({ text: '5000', unit: 'sats' }, 'fiat', { ...USD, perBtc: 100_000 })).toEqual({
    text: '5000',
    unit: 'fiat',
  })
  expect(inUnit({ text: '5000', unit: 'sats' }, 'fiat', USD).wasSats).toBe(5000)
})

it('asks nothing after the unit is changed back', () => {
  expect(inUnit(inUnit(btc('0.5'), 'fiat', USD), 'btc', USD)).toEqual(btc('0.5'))
  expect(inUnit(inUnit(btc('150000'), 'sats', null), 'btc', null)).toEqual(btc('150000'))
})

it('converts amounts that the page filled in', () => {
  const filled = filledAmount(126_000, 'btc', USD)
  expect(filled.text).toBe('0.00126')
  expect(inUnit(filled, 'sats', USD)).toMatchObject({ text: '126000', unit: 'sats' })
  expect(inUnit(filled, 'fiat', USD)).toMatchObject({ text: '113.40', unit: 'fiat' })
})

it('never changes a typed text, and never a filled amount of sats', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: MAX_SATS }),
      fc.array(units, { minLength: 1, maxLength: 6 }),
      (sats, all) => {
        const typed = all.reduce((value, unit) => inUnit(value, unit, USD), btc('0.0015'))
        expect(typed.text).toBe('0.0015')
        const filled = all.reduce((value, unit) => inUnit(value, unit, USD), filledAmount(sats, 'btc', USD))
        expect(filled.filledSats).toBe(sats)
        if (filled.unit !== 'fiat') expect(satsIn(filled, USD)).toBe(sats)
      },
    ),
  )
})

it('counts no amount that changed above the factor', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000_000 }), units, units, (digits, from, to) => {
      const before: AmountText = { text: String(digits), unit: from }
      const after = inUnit(before, to, USD)
      const [was, is] = [satsIn(before, USD), satsIn(after, USD)]
      if (was && is) expect(Math.max(was, is) / Math.min(was, is)).toBeLessThanOrEqual(1000)
    }),
  )
})
