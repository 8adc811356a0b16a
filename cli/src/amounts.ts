import { UsageError } from './failure.ts'

const MAX_SATS = 2_100_000_000_000_000
const SATS_PER_BTC = 100_000_000

/** Formats an amount in sats and BTC: `250,000 sats (0.00250000 BTC)`. */
export function money(sats: number): string {
  const size = Math.abs(sats)
  const btc = `${Math.floor(size / SATS_PER_BTC)}.${String(size % SATS_PER_BTC).padStart(8, '0')}`
  return `${sats.toLocaleString('en-US')} sats (${sats < 0 ? '-' : ''}${btc} BTC)`
}

/** Formats sats in a table: `250,000`, or `-` for null. */
export const count = (sats: number | null): string => (sats === null ? '-' : sats.toLocaleString('en-US'))

/** Formats the time until `endsAt` in its two largest units: `29d 23h`, or `-` for null. */
export function remaining(endsAt: string | null, now: number): string {
  if (endsAt === null) return '-'
  const minutes = Math.max(0, Math.floor((Date.parse(endsAt) - now) / 60_000))
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24]
  return days > 0 ? `${days}d ${hours}h` : hours > 0 ? `${hours}h ${minutes % 60}m` : `${minutes}m`
}

/** Parses an amount: whole sats as `250000` or `250_000`, or BTC as `0.0025btc`. Throws UsageError. */
export function readAmount(text: string, name: string): number {
  const btc = /^(\d{1,8})(?:\.(\d{1,8}))?btc$/i.exec(text)
  const sats = btc
    ? Number(btc[1]) * SATS_PER_BTC + Number((btc[2] ?? '').padEnd(8, '0'))
    : /^(\d+|\d{1,3}(_\d{3})+)$/.test(text)
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
