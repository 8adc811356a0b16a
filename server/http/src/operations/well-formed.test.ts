import { expect, it } from 'vitest'
import { isWellFormed } from './well-formed.ts'

it('isWellFormed detects unpaired surrogates', () => {
  expect(isWellFormed({ a: ['\u{1f511}', { b: 'ä', c: null, d: 1 }] })).toBe(true)
  for (const half of ['\ud83d', '\udd11', 'a\ud83d b'])
    expect(isWellFormed({ a: [1, { b: half }] }), JSON.stringify(half)).toBe(false)
})

it('isWellFormed handles deeply nested bodies', () => {
  expect(isWellFormed(JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))).toBe(true)
  expect(isWellFormed(Array(200_000).fill('a'))).toBe(true)
})
