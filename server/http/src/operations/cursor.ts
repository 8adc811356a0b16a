import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { type KeyType, type KeyValuesOf, parseKeys } from '@ordbook/db/driver/order.ts'
import { invalid } from '@ordbook/db/process/errors.ts'

/** Encodes the sort keys of the last row, with an HMAC that also covers route, sort and filters. */
export interface CursorCodec {
  encode(scope: readonly unknown[], keys: readonly (string | number)[]): string
  /** Returns the sort keys of a cursor; null without a cursor. Throws `invalid`. */
  decode<const Keys extends readonly { type: KeyType }[]>(
    scope: readonly unknown[],
    cursor: string | undefined,
    keys: Keys,
  ): KeyValuesOf<Keys> | null
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
    decode(scope, cursor, keys) {
      if (cursor === undefined) return null
      const bytes = Buffer.from(cursor, 'base64url')
      if (bytes.length <= MAC_LENGTH || bytes.toString('base64url') !== cursor) throw wrongCursor()
      const payload = bytes.subarray(MAC_LENGTH)
      if (!timingSafeEqual(bytes.subarray(0, MAC_LENGTH), macOf(scope, payload))) throw wrongCursor()
      const [version, ...values] = JSON.parse(payload.toString('utf8')) as unknown[]
      const parsed = version === VERSION ? parseKeys(keys, values) : null
      if (!parsed) throw wrongCursor()
      return parsed
    },
  }
}

export const wrongCursor = () =>
  invalid('cursor-invalid', 'cursor belongs to another route, sort or filter. Start again without a cursor.')

/** Returns the pagination of a page. `rowCount` is at most `limit` + 1. */
export function paginationOf(rowCount: number, limit: number, nextCursor: () => string) {
  const hasNext = rowCount > limit
  return { pageSize: Math.min(rowCount, limit), hasNext, nextCursor: hasNext ? nextCursor() : null }
}
