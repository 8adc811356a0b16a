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

/** Sats as bitcoin, exact and without needless zeros. */
export function money(sats: number): string {
  const digits = String(sats).padStart(9, '0')
  const fraction = digits.slice(-8).replace(/0+$/, '')
  return `${counted(Number(digits.slice(0, -8)))}${fraction && `.${fraction}`} BTC`
}
