import { p2trScript } from '@ordbook/bitcoin/address.ts'
import { concatBytes } from '@ordbook/bitcoin/bytes.ts'
import { taprootOutputKey, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { tapLeafHash } from '@ordbook/bitcoin/sighash.ts'
import { SEQUENCE_RBF, type Tx, type TxOutput } from '@ordbook/bitcoin/transaction.ts'

export interface Leaf {
  script: Uint8Array
  witness: Uint8Array[]
}

const KEY = xOnlyKeyOf(new Uint8Array(32).fill(9))
const OP_TRUE = 0x51

export function leafOf(...before: Uint8Array[]): Leaf {
  const leaf = concatBytes(...before, Uint8Array.of(OP_TRUE))
  const { outputKey, odd } = taprootOutputKey(KEY, tapLeafHash(leaf))
  return {
    script: p2trScript(outputKey),
    witness: [leaf, concatBytes(Uint8Array.of(odd ? 0xc1 : 0xc0), KEY)],
  }
}

export const ANYONE = leafOf()

/** Spends coins by script path. Default leaf: `ANYONE`. */
export const spend = (coins: readonly (Outpoint & { leaf?: Leaf })[], outputs: TxOutput[]): Tx => ({
  version: 2,
  locktime: 0,
  inputs: coins.map(({ txid, vout, leaf = ANYONE }) => ({
    txid,
    vout,
    scriptSig: new Uint8Array(),
    sequence: SEQUENCE_RBF,
    witness: leaf.witness,
  })),
  outputs,
})

const ORD = [0x00, 0x63, 3, 0x6f, 0x72, 0x64]
const OP_ENDIF = 0x68

/** Builds envelopes without a body: 7 bytes each plus fields. */
export function envelopes(count: number, fieldsOf: (n: number) => readonly number[] = () => []): Uint8Array {
  const parts: number[][] = Array.from({ length: count }, (_, n) => [...ORD, ...fieldsOf(n), OP_ENDIF])
  return Uint8Array.from(parts.flat())
}

export const pointerTo = (offset: number): number[] => [
  1,
  2,
  3,
  offset & 0xff,
  (offset >> 8) & 0xff,
  offset >> 16,
]
