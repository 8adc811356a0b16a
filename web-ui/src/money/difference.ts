/** From this difference on, a multiple reads better than a percentage. */
const MULTIPLE_FROM = 300

/** A difference in words: signed, with one decimal; from +300% as a multiple of the reference. */
export function difference(sats: number, ofSats: number): string {
  const percent = (sats / ofSats - 1) * 100
  if (percent >= MULTIPLE_FROM) return `${(sats / ofSats).toFixed(1)}x`
  const shown = Math.abs(percent).toFixed(1)
  if (shown === '0.0') return '0.0%'
  return `${percent > 0 ? '+' : '−'}${shown}%`
}

/** The next multiple of a step at or above a share of an amount, in sats: 101% of a top offer outbids it. */
export const shareUp = (sats: number, percent: number, stepSats: number): number =>
  Math.ceil((sats * percent) / 100 / stepSats) * stepSats

/** The next multiple of a step at or below a share of an amount, in sats. */
export const shareDown = (sats: number, percent: number, stepSats: number): number =>
  Math.floor((sats * percent) / 100 / stepSats) * stepSats
