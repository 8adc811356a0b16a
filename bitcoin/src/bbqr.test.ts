import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BbqrReader, bbqrOf } from './bbqr.ts'

const bytes = Uint8Array.from({ length: 120 }, (_, i) => [0x70, 0x73, 0x62, 0x74, 0xff][i] ?? i % 11)

async function read(codes: readonly string[]): Promise<Uint8Array | null> {
  const reader = new BbqrReader()
  for (const code of codes) expect(reader.take(code)).toBe(true)
  return reader.bytes()
}

describe('BBQr', () => {
  // Encoded with the specification's library (bbqr 1.2.0).
  it.each([
    [
      'hex',
      [
        'B$HP030070736274FF05060708090A000102030405060708090A000102030405060708090A000102030405060708090A000102030405060708',
        'B$HP0301090A000102030405060708090A000102030405060708090A000102030405060708090A000102030405060708090A00010203040506',
        'B$HP03020708090A00010203040506070809',
      ],
    ],
    [
      'base32',
      [
        'B$2P0200OBZWE5H7AUDAOCAJBIAACAQDAQCQMBYIBEFAAAICAMCAKBQHBAEQUAABAIBQIBIGA4EASCQAAEBAGBAFAYDQQCIKAAAQEAYEAUDAOCAJ',
        'B$2P0201BIAACAQDAQCQMBYIBEFAAAICAMCAKBQHBAEQUAABAIBQIBIGA4EASCQAAEBAGBAFAYDQQCIKAAAQEAYEAUDAOCAJ',
      ],
    ],
    ['deflated', ['B$ZP0100FMUE4KXZZ7FMNTWBZHC4BSGEZRBC6JQA']],
  ])('decodes reference codes: %s', async (_, codes) => {
    expect(await read(codes)).toEqual(bytes)
    expect(await read(codes.toReversed())).toEqual(bytes)
  })

  it('encodes like the reference implementation', () => {
    expect(bbqrOf(bytes, 112)).toEqual([
      'B$2P0200OBZWE5H7AUDAOCAJBIAACAQDAQCQMBYIBEFAAAICAMCAKBQHBAEQUAABAIBQIBIGA4EASCQAAEBAGBAFAYDQQCIKAAAQEAYEAUDAOCAJ',
      'B$2P0201BIAACAQDAQCQMBYIBEFAAAICAMCAKBQHBAEQUAABAIBQIBIGA4EASCQAAEBAGBAFAYDQQCIKAAAQEAYEAUDAOCAJ',
    ])
    expect(() => bbqrOf(bytes, 15)).toThrow(RangeError)
    expect(() => bbqrOf(new Uint8Array(10_000), 16)).toThrow(RangeError)
  })

  it('decodes codes in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 900 }),
        fc.integer({ min: 16, max: 300 }),
        fc.array(fc.nat(), { maxLength: 100 }),
        async (psbt, mostCharacters, glimpses) => {
          const codes = bbqrOf(psbt, mostCharacters)
          for (const code of codes) expect(code).toMatch(/^[A-Z0-9$]+$/)
          expect(Math.max(...codes.map((code) => code.length))).toBeLessThanOrEqual(mostCharacters)
          const reader = new BbqrReader()
          const seen = new Set<number>()
          for (const n of [...glimpses.map((glimpse) => glimpse % codes.length), ...codes.keys()]) {
            expect(reader.take(codes[n]!)).toBe(true)
            seen.add(n)
            expect([reader.seen, reader.count]).toEqual([seen.size, codes.length])
            expect(await reader.bytes()).toEqual(seen.size < codes.length ? null : psbt)
          }
        },
      ),
    )
  })

  it('rejects damaged codes', async () => {
    const reader = new BbqrReader()
    for (const other of [
      '',
      'cHNidP8=',
      'B$2T0100OBZWE5H7',
      'B$2P0101OBZWE5H7',
      'B$XP0100OBZWE5H7',
      'ur:crypto-psbt/abc',
    ])
      expect(reader.take(other), other).toBe(false)
    expect(await reader.bytes()).toBeNull()
    // A code of another series resets the reader.
    reader.take('B$2P0200OBZWE5H7')
    reader.take('B$2P0100OBZWE5H7')
    expect([reader.seen, reader.count]).toEqual([1, 1])
    reader.take('B$2P010011111111')
    await expect(reader.bytes()).rejects.toThrow()
    reader.take('B$ZP0100OBZWE5H7')
    await expect(reader.bytes()).rejects.toThrow()
  })
})
