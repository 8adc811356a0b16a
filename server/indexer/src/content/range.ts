/** Bytes of an answer, from the first to the last inclusive. */
export interface Range {
  first: number
  last: number
}

/**
 * The part of `length` bytes that a Range header asks for (RFC 9110, 14.2): `all` without a header, or with one that this server
 * does not serve (another unit, several ranges); `none` if the range lies outside the bytes.
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
