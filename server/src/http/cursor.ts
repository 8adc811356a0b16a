import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
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
  const key = createSecretKey(secret)
  const macOf = (scope: readonly unknown[], payload: Buffer) =>
    createHmac('sha256', key)
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
        invalid(
          'cursor-invalid',
          'cursor is not one of this route with this sort and these filters: start again without it',
        )
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

/**
 * What a query says of a page by its cards alone. It looks at one row more than the page may hold, and joins all cards by
 * `BETWEEN`: so the last one can be cut off, as no JSON text has a line break in it.
 */
export interface Slice {
  /** Null when there are none. */
  cards: string | null
  rowCount: number
  /** A card is missing or has run out: the page has to be rendered. */
  stale: boolean | null
  /** The first moment at which a row ends by itself. */
  expiresAt: Date | null
}

export const BETWEEN = ',\n'

/** The cards of a page without the one beyond it. */
export function cutCards({ cards, rowCount }: Pick<Slice, 'cards' | 'rowCount'>, limit: number): string {
  if (cards === null) return ''
  return rowCount > limit ? cards.slice(0, Math.max(0, cards.lastIndexOf(BETWEEN))) : cards
}

/** A rendered card, and the version of its row that it was rendered from. */
export interface Card {
  id: string
  version: number
  card: string
}

/** Cards that were rendered anew, as a slice joins them. */
export function joinCards(cards: readonly Card[]): Pick<Slice, 'cards' | 'rowCount'> {
  return { cards: cards.map((each) => each.card).join(BETWEEN), rowCount: cards.length }
}

/** The pagination of a page of `rowCount` rows, one of them beyond the page. */
export function paginationOf(rowCount: number, limit: number, nextCursor: () => string) {
  const hasNext = rowCount > limit
  return { pageSize: Math.min(rowCount, limit), hasNext, nextCursor: hasNext ? nextCursor() : null }
}
