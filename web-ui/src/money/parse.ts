import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import { grouped, marksOf } from './marks.ts'
import type { Fiat, Unit } from './units.ts'

export type Problem =
  | 'unreadable'
  | 'marks'
  | 'exponent'
  | 'decimals'
  | 'part-of-sat'
  | 'step'
  | 'most'
  | 'rate'

/** `rounded`: rounded down to the step. `suggestion`: the amount that was probably meant. */
export type Typed =
  | { kind: 'empty' }
  | { kind: 'sats'; sats: number; rounded: boolean }
  | { kind: 'wrong'; problem: Problem; suggestion: string | null }

export interface Way {
  unit: Unit
  locale: string
  /** Required if the unit is fiat. */
  fiat: Fiat | null
  stepSats?: number
}

const BTC_DECIMALS = 8
const FIAT_DECIMALS = 2
const PER_BTC = 10 ** BTC_DECIMALS

const wrong = (problem: Problem, suggestion: string | null = null): Typed => ({
  kind: 'wrong',
  problem,
  suggestion,
})

/** Parses an amount in the visitor's locale. Rejects other number formats with a suggestion. */
export function parseAmount(text: string, { unit, locale, fiat, stepSats = 1 }: Way): Typed {
  const plain = text.replace(/[\s_\u00a0\u202f]/g, '').replace(/[’']/g, "'")
  if (plain === '') return { kind: 'empty' }
  if (/^\d[\d.,]*e[+-]?\d+$/i.test(plain)) return wrong('exponent')
  if (!/^[\d.,']+$/.test(plain) || !/\d/.test(plain)) return wrong('unreadable')
  const number = digitsOf(plain, locale)
  if (!number) return wrong('marks', suggestionFor(plain, locale))
  const { whole, fraction } = number
  if (whole.length > 16) return wrong('most')
  if (unit === 'fiat' && fiat?.isStale) return wrong('rate')
  const most = unit === 'btc' ? BTC_DECIMALS : unit === 'fiat' ? FIAT_DECIMALS : 0
  if (fraction.length > most) return wrong(unit === 'sats' ? 'part-of-sat' : 'decimals')
  const exact = satsOf(whole, fraction, unit, fiat)
  if (exact === null) return wrong('unreadable')
  if (exact > MAX_SATS) return wrong('most')
  const sats = exact - (exact % stepSats)
  if (sats === exact) return { kind: 'sats', sats, rounded: false }
  return unit === 'sats'
    ? wrong('step', grouped(String(sats), locale))
    : { kind: 'sats', sats, rounded: true }
}

/** Splits an amount at the decimal mark. Returns null if the marks do not match the locale. */
function digitsOf(text: string, locale: string): { whole: string; fraction: string } | null {
  const { decimal, group } = marksOf(locale)
  const [before = '', fraction = '', ...more] = text.split(decimal)
  if (more.length > 0 || /\D/.test(fraction)) return null
  const mark = group === '’' ? "'" : group
  if (/^\d*$/.test(before)) return { whole: before, fraction }
  const whole = before.replaceAll(mark ?? "'", '')
  if (!/^\d+$/.test(whole)) return null
  const asWritten = grouped(whole, locale).replaceAll(/[’']/g, "'")
  return asWritten === before ? { whole, fraction } : null
}

/** Treats the last mark as the decimal mark. Returns null if that is no number either. */
function suggestionFor(text: string, locale: string): string | null {
  const { decimal } = marksOf(locale)
  const at = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  if (at < 0) return null
  const whole = text.slice(0, at).replace(/\D/g, '')
  const fraction = text.slice(at + 1)
  return /^\d*$/.test(fraction) ? `${grouped(whole, locale)}${decimal}${fraction}` : null
}

/** Converts an amount to sats. Rounds fiat down; returns null without an exchange rate. */
function satsOf(whole: string, fraction: string, unit: Unit, fiat: Fiat | null): number | null {
  if (unit === 'sats') return Number(whole)
  if (unit === 'btc') return Number(whole || '0') * PER_BTC + Number(fraction.padEnd(BTC_DECIMALS, '0'))
  if (!fiat) return null
  return Math.floor((Number(`${whole || '0'}.${fraction || '0'}`) * PER_BTC) / fiat.perBtc)
}
