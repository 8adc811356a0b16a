/** A value of a trait, as a filter lists it. */
interface Value {
  value: string
  count: number
}

const natural = new Intl.Collator('en', { numeric: true })
const isNumber = (text: string) => /^[+-]?\d[\d.,]*\s?%?$/.test(text.trim())

/** Values in the order of a filter: numbers by size, everything else the most frequent first, as they came. */
export function orderValues<V extends Value>(values: readonly V[]): readonly V[] {
  if (!values.every(({ value }) => isNumber(value))) return values
  return values.toSorted((a, b) => natural.compare(a.value, b.value))
}

/** The values that contain a text, in any case. */
export function matchingValues<V extends Value>(values: readonly V[], text: string): readonly V[] {
  const wanted = text.trim().toLowerCase()
  return wanted === '' ? values : values.filter(({ value }) => value.toLowerCase().includes(wanted))
}

/** The rows of a list that are in view, with some more on either side: from the first, up to but without the last. */
export function rowsInView(
  scrolled: number,
  { height, rowHeight, count }: { height: number; rowHeight: number; count: number },
): { from: number; to: number } {
  const beside = 8
  const first = Math.floor(scrolled / rowHeight)
  const inView = Math.ceil(height / rowHeight)
  const from = Math.max(0, Math.min(first, count - inView) - beside)
  return { from, to: Math.min(count, from + inView + 2 * beside) }
}
