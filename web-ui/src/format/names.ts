const letters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** A long name cut in its middle, so that a number at its end stays. `most`: its letters after that, at least 8. */
export function middle(name: string, most: number): string {
  // A name of so few code units has no more letters than that.
  if (name.length <= most) return name
  const all = Array.from(letters.segment(name), ({ segment }) => segment)
  if (all.length <= most) return name
  const tail = Math.min(Math.floor(most / 2), Math.max(4, trailingNumber(name)))
  return `${all
    .slice(0, most - tail - 1)
    .join('')
    .trimEnd()}… ${all.slice(-tail).join('').trimStart()}`
}

/** The length of the last word of a name where that holds its number. */
const trailingNumber = (name: string) => /\S*\d+\S*$/.exec(name)?.[0].length ?? 0

/** The names, in small letters, that several of some things have. */
export function sharedNames(all: readonly { name: string }[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const { name } of all) {
    const key = name.toLowerCase()
    if (seen.has(key)) shared.add(key)
    seen.add(key)
  }
  return shared
}
