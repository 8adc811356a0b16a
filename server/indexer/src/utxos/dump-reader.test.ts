import { expect, it } from 'vitest'
import { DumpError, DumpReader, decompressAmount } from './dump-reader.ts'

const BLOCK = 'ab'.repeat(32)
const HEADER_BYTES = 51
/** The reader does not need the network: the block's hash implies it. */
const NETWORK_AT = [7, 8, 9, 10]

const hex = (text: string) => Buffer.from(text, 'hex')
/** Number of transactions, version and scripts as Core writes them. */
function headerOf(coins: number, version = 2): Buffer {
  const header = Buffer.concat([
    Buffer.from('utxo\xff\0\0', 'latin1'),
    hex('fabfb5da'),
    hex(BLOCK),
    hex('00'.repeat(8)),
  ])
  header.writeUInt16LE(version, 5)
  header.writeBigUInt64LE(BigInt(coins), 43)
  return header
}

const HASH20 = '11'.repeat(20)
const KEY_X = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
const KEY_Y = '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'
const LONG = `51${'61'.repeat(9999)}`

/** By coin: its bytes, and what they mean. Varints and amounts follow Core's `serialize.h` and `compressor.h`. */
const COINS = [
  // Transaction 1 has three coins: pay to public key hash, script hash and compressed key.
  [
    [`${'01'.repeat(32)}03`, `00`, `02`, `09`, `00${HASH20}`],
    { vout: 0, height: 1, valueSats: 100_000_000, script: `76a914${HASH20}88ac` },
  ],
  [
    [`01`, `03`, `00`, `01${HASH20}`],
    { vout: 1, height: 1, isCoinbase: true, valueSats: 0, script: `a914${HASH20}87` },
  ],
  // Output 70,000, height 100,000, 50 BTC.
  [
    [`fe70110100`, `8b9940`, `32`, `03${KEY_X}`],
    { vout: 70_000, height: 100_000, valueSats: 5_000_000_000, script: `2103${KEY_X}ac` },
  ],
  // An uncompressed key with an even y.
  [
    [`${'02'.repeat(32)}01`, `fd2c01`, `02`, `01`, `04${KEY_X}`],
    { vout: 300, height: 1, valueSats: 1, script: `4104${KEY_X}${KEY_Y}ac` },
  ],
  // Other scripts: six more than the length.
  [[`${'03'.repeat(32)}02`, `00`, `02`, `01`, `06`], { vout: 0, height: 1, valueSats: 1, script: '' }],
  [[`01`, `02`, `01`, `cd16${LONG}`], { vout: 1, height: 1, valueSats: 1, script: LONG }],
  // 94,643.29837084 BTC, and the most that 53 bits hold.
  [
    [`${'04'.repeat(32)}02`, `00`, `02`, `92ae83b0a4d477`, `06`],
    { vout: 0, height: 1, valueSats: 9_464_329_837_084, script: '' },
  ],
  [
    [`01`, `02`, `8efdadbbd6e8fe77`, `06`],
    { vout: 1, height: 1, valueSats: 999_999_999_999_999, script: '' },
  ],
] as const

const DUMP = Buffer.concat([headerOf(COINS.length), ...COINS.map(([parts]) => hex(parts.join('')))])

/** Reads a dump in pieces. */
function read(bytes: Uint8Array, sizes: readonly number[] = [bytes.length]) {
  const coins: unknown[] = []
  const reader = new DumpReader(({ script, txid: _, ...coin }) =>
    coins.push({ ...coin, script: Buffer.from(script).toString('hex') }),
  )
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length]!
    reader.push(bytes.subarray(at, at + size))
    at += size
  }
  return { found: coins, ...reader.finish() }
}

it('DumpReader reads every form of a script', () => {
  const { found, blockHash } = read(DUMP)
  expect(found).toEqual(COINS.map(([, coin]) => ({ isCoinbase: false, ...coin })))
  expect(blockHash).toBe(hex(BLOCK).reverse().toString('hex'))
})

it('DumpReader reads pieces of any size', () => {
  const whole = read(DUMP)
  for (const sizes of [[1], [7, 1, 40], [HEADER_BYTES], [DUMP.length - 1, 1], [10_099], [4096]])
    expect(read(DUMP, sizes)).toEqual(whole)
})

it('DumpReader rejects a dump that is cut anywhere', () => {
  for (let length = 0; length < DUMP.length; length += length < 400 ? 1 : 101)
    expect(() => read(DUMP.subarray(0, length))).toThrow(DumpError)
})

it('DumpReader notices a byte that is flipped anywhere', () => {
  const { setHash, blockHash } = read(DUMP)
  for (let at = 0; at < DUMP.length; at += at < 400 ? 1 : 101) {
    if (NETWORK_AT.includes(at)) continue
    const flipped = Buffer.from(DUMP)
    flipped[at]! ^= 1 << (at % 8)
    let found: ReturnType<typeof read> | null = null
    try {
      found = read(flipped)
    } catch (error) {
      expect(error).toBeInstanceOf(DumpError)
    }
    if (found) expect([found.setHash, found.blockHash]).not.toEqual([setHash, blockHash])
  }
})

it.each<[string, Uint8Array]>([
  ['another file', Buffer.from('PK'.repeat(100))],
  ['another version', Buffer.concat([headerOf(0, 3)])],
  ['too many coins', headerOf(2 ** 53)],
  ['bytes after the last coin', Buffer.concat([DUMP, hex('00')])],
  [
    'a transaction without coins',
    Buffer.concat([headerOf(1), hex(`${'01'.repeat(32)}00`), Buffer.alloc(100)]),
  ],
  ['coins that are missing', Buffer.concat([headerOf(1), hex(`${'01'.repeat(32)}02${'00020106'}`)])],
  [
    'a number without an end',
    Buffer.concat([headerOf(1), hex(`${'01'.repeat(32)}0100${'ff'.repeat(10_200)}`)]),
  ],
  ['a size of eight bytes', Buffer.concat([headerOf(1), hex(`${'01'.repeat(32)}${'ff'.repeat(9)}`)])],
  [
    'a script that is too long',
    Buffer.concat([headerOf(1), hex(`${'01'.repeat(32)}01000201cd17`), Buffer.alloc(20_000)]),
  ],
  [
    'a key that is not on the curve',
    Buffer.concat([headerOf(1), hex(`${'01'.repeat(32)}0100020104${'ff'.repeat(32)}`)]),
  ],
])('DumpReader rejects %s', (_, bytes) => {
  expect(() => read(bytes)).toThrow(DumpError)
  expect(() => read(bytes, [999])).toThrow(DumpError)
})

it('DumpReader fails only with DumpError for random coins', () => {
  let state = 1
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24
  for (let n = 0; n < 300; n++) {
    const bytes = Buffer.concat([headerOf(1 + (n % 5)), Buffer.from(Array.from({ length: n * 3 }, next))])
    try {
      read(bytes)
    } catch (error) {
      expect(error).toBeInstanceOf(DumpError)
    }
  }
})

it('decompressAmount reads the amounts of Core’s compress_tests', () => {
  const amounts = [
    [0x0, 0],
    [0x1, 1],
    [0x7, 1_000_000],
    [0x9, 100_000_000],
    [0x32, 5_000_000_000],
    [0x1406f40, 2_100_000_000_000_000],
  ] as const
  for (const [compressed, valueSats] of amounts) expect(decompressAmount(compressed)).toBe(valueSats)
  expect(() => decompressAmount(0x1406f41 + 9)).toThrow(DumpError)
})
