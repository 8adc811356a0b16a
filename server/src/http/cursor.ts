import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalid } from '../errors.ts'

/**
 * Keyset cursors: version, route, a digest of sort and filters, and the last row's keys, authenticated with an HMAC.
 * A cursor of another route, sort or filter is refused, not misread.
 */
export interface CursorCodec {
  encode(scope: readonly unknown[], keys: readonly (string | number)[]): string
  /** The keys of a cursor of this scope; null without a cursor. Throws invalid. */
  decode(scope: readonly unknown[], cursor: string | undefined): (string | number)[] | null
}

const VERSION = 1
const MAC_LENGTH = 16

export function cursorCodec(secret: Uint8Array): CursorCodec {
  const macOf = (scope: readonly unknown[], payload: Buffer) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(scope))
      .update('\0')
      .update(payload)
      .digest()
      .subarray(0, MAC_LENGTH)
  return {
    encode(scope, keys) {
      const payload = Buffer.from(JSON.stringify([VERSION, ...keys]))
      return Buffer.concat([macOf(scope, payload), payload]).toString('base64url')
    },
    decode(scope, cursor) {
      if (cursor === undefined) return null
      const refuse = () =>
        invalid('cursor is not one of this route with this sort and these filters: start again without it')
      const bytes = Buffer.from(cursor, 'base64url')
      if (bytes.length <= MAC_LENGTH || bytes.toString('base64url') !== cursor) throw refuse()
      const payload = bytes.subarray(MAC_LENGTH)
      if (!timingSafeEqual(bytes.subarray(0, MAC_LENGTH), macOf(scope, payload))) throw refuse()
      const [version, ...keys] = JSON.parse(payload.toString('utf8'))
      if (version !== VERSION) throw refuse()
      return keys
    },
  }
}

/** Cuts one row more than a page into the page and its pagination. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorAfter: (row: Row) => string,
): { page: Row[]; pagination: { pageSize: number; hasNext: boolean; nextCursor: string | null } } {
  const page = rows.slice(0, limit)
  const hasNext = rows.length > limit
  const last = page.at(-1)
  return {
    page,
    pagination: { pageSize: page.length, hasNext, nextCursor: hasNext && last ? cursorAfter(last) : null },
  }
}
