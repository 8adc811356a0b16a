/** Maximum size of a portion in bytes, except of a single row. */
export const PORTION_BYTES = 8 * 2 ** 20

/** Divides the rows of a statement into portions of at most `maxRows` rows and `PORTION_BYTES` bytes. `sizeOf` returns bytes. */
export function* portions<T>(
  rows: readonly T[],
  maxRows: number,
  sizeOf: (row: T) => number = () => 0,
): Generator<readonly T[]> {
  let [from, bytes] = [0, 0]
  for (const [at, row] of rows.entries()) {
    const size = sizeOf(row)
    if (at > from && (at - from === maxRows || bytes + size > PORTION_BYTES)) {
      yield rows.slice(from, at)
      from = at
      bytes = 0
    }
    bytes += size
  }
  if (from < rows.length) yield rows.slice(from)
}
