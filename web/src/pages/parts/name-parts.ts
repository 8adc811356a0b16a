/** Longer numbers count as part of the name. */
const MAX_DIGITS = 10

/** Splits off the number at the end of a name. `Keeper #7` becomes `Keeper` and `#7`. */
export function nameParts(name: string): [name: string, number: string] {
  const text = name.trim()
  const at = text.lastIndexOf(' ')
  const last = text.slice(at + 1)
  if (at < 1 || last.length > MAX_DIGITS || !/^#?[0-9][0-9.,]*$/.test(last)) return [text, '']
  return [text.slice(0, at), last]
}
