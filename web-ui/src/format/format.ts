import { grouped, marksOf, visitorLocale } from '../money/marks.ts'
import type { Fiat, Unit } from '../money/units.ts'

export type { Fiat, Unit } from '../money/units.ts'

const SATS = 100_000_000
const whole = new Intl.NumberFormat(visitorLocale, { maximumFractionDigits: 0 })

/** Formats an amount. Fiat has two decimals below 100 and none above. */
export function amount(sats: number, unit: Unit, fiat: Fiat | null): { text: string; unit: string } {
  if (unit === 'sats') return { text: whole.format(sats), unit: 'sats' }
  if (unit === 'fiat' && fiat) {
    const value = (sats / SATS) * fiat.perBtc
    const digits = Math.abs(value) < 100 ? 2 : 0
    return {
      text: new Intl.NumberFormat(visitorLocale, {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }).format(value),
      unit: fiat.isStale ? `${fiat.currency} (old rate)` : fiat.currency,
    }
  }
  return { text: btc(sats), unit: 'BTC' }
}

/** Formats sats as BTC without trailing zeros. */
export function btc(sats: number, locale = visitorLocale): string {
  const digits = String(Math.abs(sats)).padStart(9, '0')
  const fraction = digits.slice(-8).replace(/0+$/, '')
  return `${sats < 0 ? '−' : ''}${grouped(digits.slice(0, -8), locale)}${fraction && marksOf(locale).decimal + fraction}`
}

/** Formats sats as BTC with the unit. */
export const money = (sats: number): string => `${btc(sats)} BTC`

export const count = (value: number) => whole.format(value)

export const shortAddress = (address: string) =>
  address.length > 18 ? `${address.slice(0, 8)}…${address.slice(-6)}` : address
export const shortId = (id: string) => `${id.slice(0, 6)}…${id.slice(-6)}`

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** Formats a time relative to now in its largest unit. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000
  for (const [unit, size] of STEPS)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
  return seconds > 0 ? 'in a moment' : 'just now'
}

export const fullTime = (iso: string) =>
  new Date(iso).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })

/** Formats the date in `hours` hours. */
export const untilDate = (hours: number, now = Date.now()): string =>
  new Date(now + hours * 3_600_000).toLocaleString('en-GB', { day: 'numeric', month: 'short' })

/** Formats the id of a satribute as a title. */
export const title = (name: string) =>
  name.replace(/_/g, ' ').replace(/^\w/, (letter) => letter.toUpperCase())
