/** Longer numbers are part of a name like any other text. */
const MOST_DIGITS = 10

/** A name and the number at its end, which a card never cuts: `Keeper #7` gives `Keeper` and `#7`. */
export function nameParts(name: string): [name: string, number: string] {
  const text = name.trim()
  const at = text.lastIndexOf(' ')
  const last = text.slice(at + 1)
  if (at < 1 || last.length > MOST_DIGITS || !/^#?[0-9][0-9.,]*$/.test(last)) return [text, '']
  return [text.slice(0, at), last]
}
