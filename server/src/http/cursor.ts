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

/** What a query says of a page whose cards it has joined: it looked at one row more than the page may hold. */
export interface Slice {
  /** The cards, joined by commas; null when there are none. */
  cards: string | null
  /** Rows found, one more than `limit` at most. */
  rowCount: number
  /** A card is missing or has run out: the page has to be rendered. */
  stale: boolean | null
  /** The first moment at which a row ends by itself. */
  expiresAt: Date | null
}

/** A rendered card, and the version of its row that it was rendered from. */
export interface Card {
  id: string
  version: number
  card: string
}

/** The pagination of a page of `rowCount` rows, one of them beyond the page. */
export function paginationOf(rowCount: number, limit: number, nextCursor: () => string) {
  const hasNext = rowCount > limit
  return { pageSize: Math.min(rowCount, limit), hasNext, nextCursor: hasNext ? nextCursor() : null }
}
