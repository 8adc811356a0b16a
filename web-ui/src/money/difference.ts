import { visitorLocale } from './marks.ts'

const MULTIPLE_FROM = 300
const oneDecimal = new Intl.NumberFormat(visitorLocale, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})

/** Formats a difference as a signed percentage, or from +300% as a multiple. */
export function difference(sats: number, ofSats: number): string {
  const percent = (sats / ofSats - 1) * 100
  return percent >= MULTIPLE_FROM ? `${oneDecimal.format(sats / ofSats)}x` : signedPercent(percent)
}

export function signedPercent(percent: number): string {
  const shown = Math.abs(percent).toFixed(1)
  if (shown === '0.0') return '0.0%'
  return `${percent > 0 ? '+' : '−'}${shown}%`
}

/** Returns a percentage of an amount, rounded up to `stepSats`. */
export const shareUp = (sats: number, percent: number, stepSats: number): number =>
  Math.ceil((sats * percent) / 100 / stepSats) * stepSats

/** Returns a percentage of an amount, rounded down to `stepSats`. */
export const shareDown = (sats: number, percent: number, stepSats: number): number =>
  Math.floor((sats * percent) / 100 / stepSats) * stepSats
