const MULTIPLE_FROM = 300

/** Formats a difference as a signed percentage, or from +300% as a multiple. */
export function difference(sats: number, ofSats: number): string {
  const percent = (sats / ofSats - 1) * 100
  if (percent >= MULTIPLE_FROM) return `${(sats / ofSats).toFixed(1)}x`
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
