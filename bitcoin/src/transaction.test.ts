import { RawTx } from '@scure/btc-signer'
import { expect, it } from 'vitest'
import { bytesToHex } from './bytes.ts'
import { decodeTransaction, encodeTransaction, fromScure, type ScureTx, type Tx } from './transaction.ts'

/** Random numbers below `sides`, from a seed (mulberry32). */
function diceOf(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * sides)
  }
}

function randomTransaction(roll: (sides: number) => number): Tx {
  const bytes = (most: number) => Uint8Array.from({ length: roll(most + 1) }, () => roll(256))
  const several = <T>(make: () => T, most: number) => Array.from({ length: roll(most + 1) }, make)
  return {
    version: roll(2) === 0 ? 2 : -1 - roll(9),
    locktime: roll(2 ** 32),
    inputs: [null, ...several(() => null, 3)].map(() => ({
      txid: bytesToHex(Uint8Array.from({ length: 32 }, () => roll(256))),
      vout: roll(2 ** 32),
      scriptSig: bytes(roll(20) === 0 ? 300 : 5),
      sequence: roll(2 ** 32),
      witness: several(() => bytes(roll(20) === 0 ? 700 : 8), 3),
    })),
    outputs: several(() => ({ valueSats: roll(2 ** 32) * (1 + roll(2 ** 20)), script: bytes(30) }), 3),
  }
}

const attempt = (decode: () => Tx): Tx | null => {
  try {
    return decode()
  } catch {
    return null
  }
}
const withScure = (bytes: Uint8Array) => attempt(() => fromScure(RawTx.decode(bytes) as ScureTx))
const withOurs = (bytes: Uint8Array) => attempt(() => decodeTransaction(bytes))

it('decodes and refuses the transactions that scure does, also mutated ones', () => {
  const roll = diceOf(7)
  let [accepted, refused] = [0, 0]
  for (let n = 0; n < 150; n++) {
    const bytes = encodeTransaction(randomTransaction(roll))
    expect(withOurs(bytes)).toEqual(withScure(bytes))
    for (let change = 0; change < 20; change++) {
      const mutated = bytes.slice(0, roll(4) === 0 ? roll(bytes.length) : bytes.length)
      if (mutated.length > 0) mutated[roll(Math.min(mutated.length, 60))] = [0, 1, 0xfd, 0xfe, 0xff][roll(5)]!
      const [ours, theirs] = [withOurs(mutated), withScure(mutated)]
      expect(ours).toEqual(theirs)
      ours ? accepted++ : refused++
    }
  }
  expect(accepted).toBeGreaterThan(200)
  expect(refused).toBeGreaterThan(200)
})

it.each([
  ['a length that could be shorter', '0200000000fd0000'],
  ['a length that could be shorter, in 4 bytes', '0200000000fefc000000'],
  ['bytes after the end', '02000000000000000000ff'],
  [
    'a witness flag without a witness',
    `0200000000 0101${'00'.repeat(36)}00ffffffff000000000000`.replace(' ', ''),
  ],
  ['more inputs than it has', `02000000ff${'ff'.repeat(7)}00`],
  ['nothing', ''],
])('refuses %s', (_, hex) => {
  expect(() => decodeTransaction(hex)).toThrow('not a transaction')
})
