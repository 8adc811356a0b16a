import { UsageError } from './failure.ts'

const MAX_SATS = 2_100_000_000_000_000
const SATS_PER_BTC = 100_000_000

/** Formats an amount in sats and BTC: `250,000 sats (0.00250000 BTC)`. */
export function money(sats: number): string {
  const size = Math.abs(sats)
  const btc = `${Math.floor(size / SATS_PER_BTC)}.${String(size % SATS_PER_BTC).padStart(8, '0')}`
  return `${sats.toLocaleString('en-US')} sats (${sats < 0 ? '-' : ''}${btc} BTC)`
}

/** Parses an amount: whole sats as `250000` or `250_000`, or BTC as `0.0025btc`. Throws UsageError. */
export function readAmount(text: string, name: string): number {
  const btc = /^(\d{1,8})(?:\.(\d{1,8}))?btc$/i.exec(text)
  const sats = btc
    ? Number(btc[1]) * SATS_PER_BTC + Number((btc[2] ?? '').padEnd(8, '0'))
    : /^\d+(_\d{3})*$/.test(text)
      ? Number(text.replaceAll('_', ''))
      : Number.NaN
  if (!(sats <= MAX_SATS))
    throw new UsageError(`${name}: found ${text}, expected whole sats (250000) or bitcoins (0.0025btc)`)
  return sats
}

/** Parses a whole number within bounds. Throws UsageError. */
export function readCount(text: string, name: string, min: number, max: number): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < min || number > max)
    throw new UsageError(`${name}: found ${text}, expected a whole number from ${min} to ${max}`)
  return number
}
