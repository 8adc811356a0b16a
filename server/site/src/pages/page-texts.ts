const whole = new Intl.NumberFormat('en-US')

/** Names are as long as their inscribers like: a text with so many letters at most. */
export function cut(text: string, most: number): string {
  // A text of so few code units has no more letters than that.
  if (text.length <= most) return text
  const letters = [...text]
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text
}

/** A whole number with its marks. */
export const counted = (count: number): string => whole.format(count)

/** Sats as a number of bitcoin, exact and without needless zeros; `whole` prints those before the point. */
export function bitcoin(sats: number, whole: (count: number) => string = String): string {
  const digits = String(sats).padStart(9, '0')
  const fraction = digits.slice(-8).replace(/0+$/, '')
  return `${whole(Number(digits.slice(0, -8)))}${fraction && `.${fraction}`}`
}

/** Sats as bitcoin for readers. */
export const money = (sats: number): string => `${bitcoin(sats, counted)} BTC`
