const whole = new Intl.NumberFormat('en-US')

/** Shortens a text to `most` characters. Names on the chain can have any length. */
export function cut(text: string, most: number): string {
  // Fast path: a text has at most as many characters as code units.
  if (text.length <= most) return text
  const letters = [...text]
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text
}

export const counted = (count: number): string => whole.format(count)

/** Formats sats as exact bitcoin without trailing zeros; `whole` formats the integer part. */
export function bitcoin(sats: number, whole: (count: number) => string = String): string {
  const digits = String(sats).padStart(9, '0')
  const fraction = digits.slice(-8).replace(/0+$/, '')
  return `${whole(Number(digits.slice(0, -8)))}${fraction && `.${fraction}`}`
}

export const money = (sats: number): string => `${bitcoin(sats, counted)} BTC`
