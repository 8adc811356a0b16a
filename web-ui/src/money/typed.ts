import { grouped, marksOf, visitorLocale } from './marks.ts'
import { parseAmount } from './parse.ts'
import type { Fiat, Unit } from './units.ts'

/** Parses bitcoin to sats. Returns null if the text is invalid. */
export function satsTyped(text: string): number | null {
  const typed = parseAmount(text, { unit: 'btc', locale: visitorLocale, fiat: null })
  return typed.kind === 'sats' ? typed.sats : null
}

/** Formats sats for an input field. Fiat is rounded up, so that it does not parse to less. */
export function amountTyped(sats: number, unit: Unit, fiat: Fiat | null, locale = visitorLocale): string {
  if (unit === 'sats') return String(sats)
  const { decimal } = marksOf(locale)
  if (unit === 'fiat' && fiat)
    return (Math.ceil((sats * fiat.perBtc) / 1e6) / 100).toFixed(2).replace('.', decimal)
  const digits = String(sats).padStart(9, '0')
  const fraction = digits.slice(-8).replace(/0+$/, '')
  return fraction ? `${digits.slice(0, -8)}${decimal}${fraction}` : digits.slice(0, -8)
}

/** Formats sats as BTC with 8 decimals. */
export function exactBtc(sats: number, locale = visitorLocale): string {
  const digits = String(sats).padStart(9, '0')
  return `${grouped(digits.slice(0, -8), locale)}${marksOf(locale).decimal}${digits.slice(-8)}`
}
