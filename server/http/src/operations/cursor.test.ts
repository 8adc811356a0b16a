import { expect, it } from 'vitest'
import { cursorCodec, paginationOf } from './cursor.ts'

const KEYS = [{ type: 'bigint' }, { type: 'text' }] as const
const SCOPE = ['listListings', 'price', null]
const secret = new Uint8Array(32).fill(1)
const codec = cursorCodec(secret)
const cursor = codec.encode(SCOPE, [1000, 'x'])

it('cursorCodec decodes its own cursors', () => {
  expect(codec.decode(SCOPE, cursor, KEYS)).toEqual([1000, 'x'])
  expect(codec.decode(SCOPE, undefined, KEYS)).toBeNull()
})

const changed = Buffer.from(cursor, 'base64url')
changed[changed.length - 2]! ^= 1
it.each([
  ['another sort', () => codec.decode(['listListings', 'recent', null], cursor, KEYS)],
  ['other keys', () => codec.decode(SCOPE, cursor, [{ type: 'text' }, { type: 'text' }])],
  ['another secret', () => cursorCodec(new Uint8Array(32)).decode(SCOPE, cursor, KEYS)],
  ['changed keys', () => codec.decode(SCOPE, changed.toString('base64url'), KEYS)],
  ['characters outside base64url', () => codec.decode(SCOPE, `${cursor}=`, KEYS)],
  ['no keys', () => codec.decode(SCOPE, cursor.slice(0, 20), KEYS)],
])('cursorCodec rejects a cursor with %s', (_, decode) => {
  expect(decode).toThrow('cursor belongs to another route')
})

it.each([
  [0, { pageSize: 0, hasNext: false, nextCursor: null }],
  [2, { pageSize: 2, hasNext: false, nextCursor: null }],
  [3, { pageSize: 2, hasNext: true, nextCursor: 'next' }],
])('paginationOf handles a page of two after reading %i rows', (rows, pagination) => {
  expect(paginationOf(rows, 2, () => 'next')).toEqual(pagination)
})
