import { concatBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { expect, it } from 'vitest'
import { readProperties } from './properties.ts'

const NOTHING = { title: null, traits: [], gallery: [] }
const TITLED = { ...NOTHING, title: 'T' }

it.each([
  ['a title', 'a101a1006154', TITLED],
  ['trailing bytes', 'a101a100615400ff1c', TITLED],
  ['maps of indefinite length', 'bf01bf006154ffff', TITLED],
  ['a repeated field (the last value)', 'a201a100615501a1006154', TITLED],
  ['unknown fields', 'a205826161f718ff9fff01a1006154', NOTHING],
  ['unknown fields of any type', 'a2189982f7fb000000000000000001a1006154', TITLED],
  ['a gallery that is not an array', 'a200646e6f706501a1006154', NOTHING],
  ['a title that is not a string', 'a101a10005', NOTHING],
  ['a title in invalid UTF-8', 'a101a10062c328', NOTHING],
  ['keys that are not integers', 'a2616100 01a1006154'.replace(' ', ''), NOTHING],
  ['a duplicate trait', 'a101a101a2616101616102', NOTHING],
  ['a gallery item without an id', 'a20081a001a1006154', TITLED],
] as const)('readProperties parses %s like ord', (_, hex, expected) => {
  expect(readProperties(hexToBytes(hex), null)).toEqual(expected)
})

it('readProperties parses deeply nested values', () => {
  const nested = new Uint8Array(100_000).fill(0x81)
  const title = hexToBytes('01a1006154')
  const valid = concatBytes(hexToBytes('a205'), nested, Uint8Array.of(0), title)
  expect(readProperties(valid, null)).toEqual(TITLED)
  expect(readProperties(valid.subarray(0, 50_000), null)).toEqual(NOTHING)
  // Alternates definite and indefinite lengths: the worst case for the parser's stack.
  const mixed = Uint8Array.from({ length: 200_000 }, (_, n) => (n % 2 === 0 ? 0x82 : 0x9f))
  expect(readProperties(concatBytes(hexToBytes('a205'), mixed, title), null)).toEqual(NOTHING)
  for (const prefix of ['9bffffffffffffffff', 'bbffffffffffffffff', '7bffffffffffffffff'])
    expect(readProperties(hexToBytes(`a105${prefix}`), null)).toEqual(NOTHING)
  // Two million empty items.
  const items = new Uint8Array(2_000_000).fill(0xa0)
  expect(readProperties(concatBytes(hexToBytes('a2009f'), items, Uint8Array.of(0xff), title), null)).toEqual(
    TITLED,
  )
})
