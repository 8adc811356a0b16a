/** Byte positions, both inclusive. */
export interface Range {
  first: number
  last: number
}

/**
 * Parses a Range header for `length` bytes (RFC 9110, 14.2). Returns `all` if it is missing or unsupported, and `none` if it is not
 * satisfiable.
 */
export function readRange(header: string | undefined, length: number): Range | 'all' | 'none' {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(' ', '') ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'all'
  if (from === '') {
    const suffix = Math.min(Number(to), length)
    return suffix === 0 ? 'none' : { first: length - suffix, last: length - 1 }
  }
  const [first, last] = [Number(from), to === '' ? length - 1 : Math.min(Number(to), length - 1)]
  if (to !== '' && Number(to) < first) return 'all'
  return first >= length ? 'none' : { first, last }
}
