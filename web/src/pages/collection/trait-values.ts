/** A trait value with its number of items. */
interface Value {
  value: string
  count: number
}

const natural = new Intl.Collator('en', { numeric: true })
const isNumber = (text: string) => /^[+-]?\d[\d.,]*\s?%?$/.test(text.trim())

/** Orders values for a filter: numerically if all are numbers, otherwise unchanged, which is by frequency. */
export function orderValues<V extends Value>(values: readonly V[]): readonly V[] {
  if (!values.every(({ value }) => isNumber(value))) return values
  return values.toSorted((a, b) => natural.compare(a.value, b.value))
}

/** Values that contain a text, case-insensitively. */
export function matchingValues<V extends Value>(values: readonly V[], text: string): readonly V[] {
  const wanted = text.trim().toLowerCase()
  return wanted === '' ? values : values.filter(({ value }) => value.toLowerCase().includes(wanted))
}

/** Range of rows in view, with a margin on both sides: `from` inclusive, `to` exclusive. */
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
