const letters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Shortens a name in the middle, so that a number at its end stays visible. `most`: maximum length in graphemes, at least 8. */
export function middle(name: string, most: number): string {
  // A name has at most as many graphemes as code units.
  if (name.length <= most) return name
  const all = Array.from(letters.segment(name), ({ segment }) => segment)
  if (all.length <= most) return name
  const tail = Math.min(Math.floor(most / 2), Math.max(4, trailingNumber(name)))
  return `${all
    .slice(0, most - tail - 1)
    .join('')
    .trimEnd()}… ${all.slice(-tail).join('').trimStart()}`
}

const trailingNumber = (name: string) => /\S*\d+\S*$/.exec(name)?.[0].length ?? 0

/** Returns names that occur more than once, in lower case. */
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
