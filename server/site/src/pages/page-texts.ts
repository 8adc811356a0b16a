const whole = new Intl.NumberFormat('en-US')

/** Shortens a text to `most` characters. Names come from inscribers and can have any length. */
export function cut(text: string, most: number): string {
  // Fast path: a text has at most as many characters as code units.
  if (text.length <= most) return text
  const letters = [...text]
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text
}

/** Formats a whole number with thousands separators. */
export const counted = (count: number): string => whole.format(count)

/** Formats sats as an exact number of bitcoin without trailing zeros; `whole` formats the integer part. */
export function bitcoin(sats: number, whole: (count: number) => string = String): string {
  const digits = String(sats).padStart(9, '0')
  const fraction = digits.slice(-8).replace(/0+$/, '')
  return `${whole(Number(digits.slice(0, -8)))}${fraction && `.${fraction}`}`
}

/** Formats sats as bitcoin, with the unit. */
export const money = (sats: number): string => `${bitcoin(sats, counted)} BTC`
