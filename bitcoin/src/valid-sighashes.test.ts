import { expect, it } from 'vitest'
import { validSighashesOf } from './valid-sighashes.ts'

const P2TR = Uint8Array.of(0x51, 0x20, ...new Uint8Array(32).fill(1))
const P2WSH = Uint8Array.of(0x00, 0x20, ...new Uint8Array(32).fill(1))
const CONTROL = Uint8Array.of(0xc0, ...new Uint8Array(32))
const X = [0x20, ...new Uint8Array(32).fill(3)]
const K = [0x21, ...new Uint8Array(33).fill(2)]
const HASH_LOCK = [0xa8, 0x20, ...new Uint8Array(32), 0x88]
const schnorr = (type: number) => Uint8Array.of(...new Uint8Array(64).fill(5), type)
const der = (type: number) => Uint8Array.of(0x30, 68, ...new Uint8Array(68).fill(9), type)
const EMPTY = new Uint8Array()
const SECRET = new Uint8Array(32).fill(8)
const ANNEX = Uint8Array.of(0x50, 0x83)

it.each([
  ['the key path', [schnorr(0x83)], [0x83]],
  ['the key path with the default sighash', [new Uint8Array(64)], [0]],
  ['the key path with an annex', [schnorr(0x83), ANNEX], [0x83]],
  ['a signature check', [schnorr(0x83), [...X, 0xac]], [0x83]],
  ['two of two', [schnorr(1), schnorr(0x83), [...X, 0xad, ...X, 0xac]], [0x83, 1]],
  [
    'two of three with one empty signature',
    [schnorr(1), EMPTY, schnorr(0x83), [...X, 0xac, ...X, 0xba, ...X, 0xba, 0x52, 0xa2]],
    [0x83, 1],
  ],
  ['a hash lock and a signature', [schnorr(0x83), SECRET, [...HASH_LOCK, ...X, 0xac]], [0x83]],
  ['a time lock and a signature', [schnorr(0x83), [0x02, 0x10, 0x27, 0xb1, 0x75, ...X, 0xac]], [0x83]],
  ['a leaf that drops the element', [schnorr(0x83), [0x75, 0x51]], []],
  ['a key of an unknown size, for which consensus accepts anything', [schnorr(0x83), [...K, 0xac]], []],
  ['more stack elements than checks', [schnorr(0x83), schnorr(0x83), [...X, 0xac]], []],
  ['an OP_SUCCESS after the check', [schnorr(0x83), [...X, 0xac, 0xfe]], []],
] as [string, (Uint8Array | number[])[], number[]][])(
  'validSighashesOf a taproot input: %s',
  (_what, stack, expected) => {
    const witness = stack.map((element) => Uint8Array.from(element))
    if (Array.isArray(stack.at(-1))) witness.push(CONTROL)
    expect(validSighashesOf({ witness, scriptSig: EMPTY }, P2TR)).toEqual(expected)
  },
)

it.each([
  ['a signature check', [der(0x83), [...K, 0xac]], [0x83]],
  ['two of two', [der(1), der(0x83), [...K, 0xad, ...K, 0xac]], [0x83, 1]],
  [
    'two of three with CHECKMULTISIG',
    [EMPTY, der(1), der(0x83), [0x52, ...K, ...K, ...K, 0x53, 0xae]],
    [1, 0x83],
  ],
  ['a check that can fail', [der(0x83), [...K, 0xac, 0x91]], []],
  ['a check whose result is hashed', [SECRET, der(0x83), [...K, 0xac, ...HASH_LOCK]], []],
  ['a check whose result is counted', [der(0x83), [...K, 0xac, 0x01, 0x00, 0x9c]], []],
  ['only a hash lock', [der(0x83), [...HASH_LOCK.slice(0, -1), 0x87]], []],
] as [string, (Uint8Array | number[])[], number[]][])(
  'validSighashesOf a witness script: %s',
  (_what, stack, expected) => {
    const witness = stack.map((element) => Uint8Array.from(element))
    expect(validSighashesOf({ witness, scriptSig: EMPTY }, P2WSH)).toEqual(expected)
  },
)

it('validSighashesOf ignores malformed scripts', () => {
  const bytes = [EMPTY, Uint8Array.of(1), Uint8Array.of(0x21), schnorr(0x83), der(0x83), Uint8Array.of(0x4c)]
  for (const spent of [P2TR, P2WSH, Uint8Array.of(0x6a), EMPTY])
    for (const a of bytes)
      for (const b of bytes) {
        const sighashes = validSighashesOf({ witness: [a, b], scriptSig: b }, spent)
        expect(sighashes.every((type) => Number.isInteger(type))).toBe(true)
      }
  expect(validSighashesOf({ witness: [], scriptSig: EMPTY }, P2TR)).toEqual([])
})
