import { concatBytes, equalBytes, joinBytes, littleEndian } from '@ordbook/bitcoin/bytes.ts'
import { taprootOutputKey, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { tapLeafHash } from '@ordbook/bitcoin/sighash.ts'
import { type Tx, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'

/** Valid blocks that are cheap to mine and expensive to index. Their coins need no signature. */
export interface Bomb {
  name: string
  coins: { leaf: Uint8Array; valueSats: number; count?: number }[]
  /** Number of additional coins that are coinbases, locked by `OPEN`. They come last. */
  coinbases?: number
  /** Number of inscriptions. Default: 1. */
  inscriptions?: number
  /** The blocks pay fees, so inscriptions may end up in the coinbase. */
  leavesFees?: true
  /** It spends scripts that the devnet does not verify. */
  needsBitcoind?: true
  /** Number of blocks that only prepare the bomb. Default: 0. */
  prepared?: number
  /**
   * `items`: the inscriptions of the blocks that prepare it are items of a collection. `listings`: each coin is listed too.
   * `children`: the first inscription defines a collection.
   */
  market?: 'items' | 'listings' | 'children'
  blocks(coins: Held[]): Tx[][]
}

/** A coin with the witness that spends it. */
export interface Held extends Outpoint, TxOutput {
  witness: Uint8Array[]
}

const INTERNAL_KEY = xOnlyKeyOf(new Uint8Array(32).fill(5))
const OP_TRUE = 0x51
export const OPEN = Uint8Array.of(OP_TRUE)

/** Returns the output script for a leaf and the witness that spends it. */
export function lockOf(leaf: Uint8Array): { script: Uint8Array; witness: Uint8Array[] } {
  const { outputKey, odd } = taprootOutputKey(INTERNAL_KEY, tapLeafHash(leaf))
  return {
    script: concatBytes(Uint8Array.of(0x51, 0x20), outputKey),
    witness: [leaf, concatBytes(Uint8Array.of(odd ? 0xc1 : 0xc0), INTERNAL_KEY)],
  }
}

const open = lockOf(OPEN)

/** OP_2: anyone can spend outputs of a witness version without rules (BIP-141), with an empty witness. */
const ANYONE_VERSION = 0x52

/** Returns the smallest output of one of 65,536 owners. Its spend needs no witness. */
export const anyone = (owner: number, valueSats: number): TxOutput => ({
  valueSats,
  script: Uint8Array.of(ANYONE_VERSION, 3, 1, owner & 255, (owner >> 8) & 255),
})

/** Builds a transaction. A number is the value of an output that requires no signature. */
export function spend(coins: readonly Held[], outputs: readonly (number | TxOutput)[]): Tx {
  return {
    version: 2,
    locktime: 0,
    inputs: coins.map(({ txid, vout, witness }) => ({
      txid,
      vout,
      scriptSig: new Uint8Array(),
      sequence: 0xfffffffd,
      witness,
    })),
    outputs: outputs.map((output) =>
      typeof output === 'number' ? { valueSats: output, script: open.script } : output,
    ),
  }
}

/** Returns a transaction's outputs with the witnesses that spend them. */
export function heldOf(tx: Tx): Held[] {
  const txid = txidOf(tx)
  return tx.outputs.map((output, vout) => ({
    ...output,
    txid,
    vout,
    witness: equalBytes(output.script, open.script) ? open.witness : [],
  }))
}

const ORD = [0x00, 0x63, 3, 0x6f, 0x72, 0x64]
const ENDIF = 0x68
export const EMPTY = Uint8Array.of(...ORD, ENDIF)

export const times = (unit: ArrayLike<number>, count: number): Uint8Array => {
  const bytes = new Uint8Array(unit.length * count)
  for (let i = 0; i < count; i++) bytes.set(unit, i * unit.length)
  return bytes
}
export const leafOf = (...parts: (ArrayLike<number> & Iterable<number>)[]) =>
  joinBytes([...parts.map((part) => Uint8Array.from(part)), OPEN])
export const envelope = (...parts: (ArrayLike<number> & Iterable<number>)[]) => leafOf(ORD, ...parts, [ENDIF])
const push = (bytes: ArrayLike<number>) =>
  bytes.length <= 75
    ? Uint8Array.from([bytes.length, ...Array.from(bytes)])
    : concatBytes(Uint8Array.of(0x4d), littleEndian(bytes.length, 2), Uint8Array.from(bytes))
export const pieces = (tag: number, bytes: Uint8Array) => {
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += 520)
    parts.push(Uint8Array.of(1, tag), push(bytes.subarray(at, at + 520)))
  return joinBytes(parts)
}
export const body = (bytes: Uint8Array) => {
  const parts: Uint8Array[] = [Uint8Array.of(0x00)]
  for (let at = 0; at < bytes.length; at += 520) parts.push(push(bytes.subarray(at, at + 520)))
  return joinBytes(parts)
}
export const pointed = (offset: number) => Uint8Array.of(...ORD, 1, 2, 4, ...littleEndian(offset, 4), ENDIF)

export const reveal = (name: string, leaf: Uint8Array, valueSats = 10_000): Bomb => ({
  name,
  coins: [{ leaf, valueSats }],
  blocks: (coins) => [[spend(coins, [valueSats])]],
})

export function chain(coin: Held, count: number): Tx[] {
  const moves: Tx[] = []
  for (let n = 0; n < count; n++) {
    const move = spend([coin], [coin.valueSats])
    moves.push(move)
    coin = heldOf(move)[0]!
  }
  return moves
}

/** Splits the coin at each offset and merges the parts in reverse order. */
function shuffle(coin: Held, at: readonly number[]): Tx[] {
  const moves: Tx[] = []
  for (const sats of at) {
    const split = spend([coin], [sats, coin.valueSats - sats])
    const [left, right] = heldOf(split)
    const merge = spend([right!, left!], [coin.valueSats])
    moves.push(split, merge)
    coin = heldOf(merge)[0]!
  }
  return moves
}

const RETURN_2700 = Uint8Array.of(0x6a, 0x4d, ...littleEndian(2700, 2), ...new Uint8Array(2700).fill(7))
const UNKNOWN_PARENT = Uint8Array.of(1, 3, 32, ...new Uint8Array(32).fill(9))

export const bombs: readonly Bomb[] = [
  reveal(
    '130,000 pushes',
    envelope([1, 1, 10], new TextEncoder().encode('text/plain'), [0], times([1, 0x41], 130_000)),
  ),
  {
    name: 'an output script of 2,700 bytes, and one of 10,000',
    coins: [{ leaf: envelope(body(Uint8Array.of(1))), valueSats: 5000, count: 2 }],
    blocks: ([one, two]) => [
      [
        spend([one!], [{ valueSats: 5000, script: RETURN_2700 }]),
        spend([two!], [{ valueSats: 5000, script: times([OP_TRUE], 10_000) }]),
      ],
    ],
  },
  reveal('a tag repeated 66,600 times', envelope(times([1, 5, 0], 66_600))),
  reveal('20,000 parents', envelope(times(UNKNOWN_PARENT, 20_000))),
  reveal('5,000 delegates', envelope(times([1, 11, 32, ...new Uint8Array(32).fill(3)], 5000))),
  reveal('20,000 pointers', envelope(times([1, 2, 1, 9], 20_000))),
  reveal(
    '60,000 tags that differ',
    envelope(joinBytes(Array.from({ length: 60_000 }, (_, n) => Uint8Array.of(3, 0x21, n & 255, n >> 8, 0)))),
  ),
  reveal('300,000 number opcodes', envelope([0], times([0x51], 300_000))),
  reveal(
    'an envelope opened 40,000 times and never closed',
    leafOf(times([...ORD, 0x61], 40_000), times([ENDIF], 40_000)),
  ),
  reveal('a content type in 193 pieces', envelope(pieces(1, times([0x61], 100_000)))),
  reveal('metadata 100,000 levels deep', envelope(pieces(5, times([0x81], 100_000)), body(Uint8Array.of(1)))),
  reveal('properties 100,000 levels deep', envelope(pieces(17, times([0x81], 100_000)))),
  reveal('properties of indefinite arrays', envelope(pieces(17, times([0x9f], 100_000)))),
  reveal('a body of 3 MB', envelope(body(new Uint8Array(3_000_000).fill(0x41)))),
  {
    name: '2,000 inputs with ten envelopes each',
    inscriptions: 20_000,
    coins: [{ leaf: leafOf(times(EMPTY, 10)), valueSats: 600, count: 2000 }],
    blocks: (coins) => [[spend(coins, [1_200_000])]],
  },
  {
    name: '54,285 inscriptions in a coin that moves five times in a block',
    inscriptions: 54_285,
    coins: [{ leaf: leafOf(times(EMPTY, 54_285)), valueSats: 10_000 }],
    blocks: (coins) => {
      const start = spend(coins, [10_000])
      return [[start], chain(heldOf(start)[0]!, 5)]
    },
  },
  {
    name: '4,000 inscriptions on separate sats, split and merged 30 times',
    inscriptions: 4_000,
    coins: [
      { leaf: leafOf(joinBytes(Array.from({ length: 4000 }, (_, n) => pointed(n * 10)))), valueSats: 40_000 },
    ],
    blocks: (coins) => {
      const start = spend(coins, [40_000])
      const at = Array.from({ length: 30 }, (_, n) => 1000 + ((n * 7919) % 38_000))
      return [[start], shuffle(heldOf(start)[0]!, at)]
    },
  },
  {
    name: '2,000 inscriptions dealt into 2,000 outputs, and back into one',
    inscriptions: 2_000,
    coins: [
      {
        leaf: leafOf(joinBytes(Array.from({ length: 2000 }, (_, n) => pointed(n * 600)))),
        valueSats: 1_200_000,
      },
    ],
    blocks: (coins) => {
      const start = spend(coins, [1_200_000])
      const dealt = spend(heldOf(start), Array<number>(2000).fill(600))
      const merged = spend(heldOf(dealt).toReversed(), [1_200_000])
      return [[start], [dealt], [merged], chain(heldOf(merged)[0]!, 5)]
    },
  },
  {
    name: '20,000 inscriptions left to the fee',
    leavesFees: true,
    inscriptions: 20_000,
    coins: [{ leaf: leafOf(times(EMPTY, 20_000)), valueSats: 10_000 }],
    blocks: (coins) => [[spend(coins, [{ valueSats: 0, script: Uint8Array.of(0x6a) }])]],
  },
  {
    name: 'a coin of one inscription that moves 500 times in a block',
    coins: [{ leaf: envelope(body(Uint8Array.of(1))), valueSats: 10_000 }],
    blocks: (coins) => {
      const start = spend(coins, [10_000])
      return [[start, ...chain(heldOf(start)[0]!, 500)]]
    },
  },
  {
    name: '2,000 coins of other sats merged into one that moves 25 times in a block',
    coins: [{ leaf: OPEN, valueSats: 1000, count: 2000 }],
    blocks: (coins) => {
      const merged = spend(coins.toReversed(), [2_000_000])
      return [[merged], chain(heldOf(merged)[0]!, 25)]
    },
  },
  {
    name: 'an inscription dealt into 10,000 outputs of few sats',
    coins: [{ leaf: envelope(body(Uint8Array.of(1))), valueSats: 20_000 }],
    blocks: (coins) => [[spend(coins, Array<number>(10_000).fill(2))]],
  },
]
