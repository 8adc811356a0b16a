import { concatBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { expect, it } from 'vitest'
import { readProperties } from './properties.ts'

const NOTHING = { title: null, traits: [], gallery: [] }
const TITLED = { ...NOTHING, title: 'T' }

it.each([
  ['a title', 'a101a1006154', TITLED],
  ['bytes behind the map', 'a101a100615400ff1c', TITLED],
  ['maps without a length', 'bf01bf006154ffff', TITLED],
  ['a field twice: the last', 'a201a100615501a1006154', TITLED],
  ['unknown fields', 'a205826161f718ff9fff01a1006154', NOTHING],
  ['unknown fields of any kind', 'a2189982f7fb000000000000000001a1006154', TITLED],
  ['a gallery that is not an array', 'a200646e6f706501a1006154', NOTHING],
  ['a title that is not text', 'a101a10005', NOTHING],
  ['a title in bad UTF-8', 'a101a10062c328', NOTHING],
  ['keys that are not integers', 'a2616100 01a1006154'.replace(' ', ''), NOTHING],
  ['a trait twice', 'a101a101a2616101616102', NOTHING],
  ['an item that names nothing', 'a20081a001a1006154', TITLED],
] as const)('reads %s as ord does', (_what, hex, expected) => {
  expect(readProperties(hexToBytes(hex), null)).toEqual(expected)
})

it('parses values nested 100,000 deep, and lengths larger than any inscription', () => {
  const deep = new Uint8Array(100_000).fill(0x81)
  const title = hexToBytes('01a1006154')
  const sound = concatBytes(hexToBytes('a205'), deep, Uint8Array.of(0), title)
  expect(readProperties(sound, null)).toEqual(TITLED)
  expect(readProperties(sound.subarray(0, 50_000), null)).toEqual(NOTHING)
  // Each opens without a length inside of one with: the deepest that a reader has to remember.
  const mixed = Uint8Array.from({ length: 200_000 }, (_, n) => (n % 2 === 0 ? 0x82 : 0x9f))
  expect(readProperties(concatBytes(hexToBytes('a205'), mixed, title), null)).toEqual(NOTHING)
  for (const head of ['9bffffffffffffffff', 'bbffffffffffffffff', '7bffffffffffffffff'])
    expect(readProperties(hexToBytes(`a105${head}`), null)).toEqual(NOTHING)
  // Two million items of a byte each, which name nothing.
  const items = new Uint8Array(2_000_000).fill(0xa0)
  expect(readProperties(concatBytes(hexToBytes('a2009f'), items, Uint8Array.of(0xff), title), null)).toEqual(
    TITLED,
  )
})
