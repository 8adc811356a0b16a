interface Value {
  value: string
  count: number
}

const natural = new Intl.Collator('en', { numeric: true })
const isNumber = (text: string) => /^[+-]?\d[\d.,]*\s?%?$/.test(text.trim())

/** Sorts values numerically if all are numbers, otherwise keeps the API order (by frequency). */
export function orderValues<V extends Value>(values: readonly V[]): readonly V[] {
  if (!values.every(({ value }) => isNumber(value))) return values
  return values.toSorted((a, b) => natural.compare(a.value, b.value))
}

/** Returns the values that contain a text, ignoring case. */
export function matchingValues<V extends Value>(values: readonly V[], text: string): readonly V[] {
  const query = text.trim().toLowerCase()
  return query === '' ? values : values.filter(({ value }) => value.toLowerCase().includes(query))
}

/** Returns the visible rows with a margin. `to` is exclusive. */
export function rowsInView(
  scrolled: number,
  { height, rowHeight, count }: { height: number; rowHeight: number; count: number },
): { from: number; to: number } {
  const margin = 8
  const first = Math.floor(scrolled / rowHeight)
  const inView = Math.ceil(height / rowHeight)
  const from = Math.max(0, Math.min(first, count - inView) - margin)
  return { from, to: Math.min(count, from + inView + 2 * margin) }
}
