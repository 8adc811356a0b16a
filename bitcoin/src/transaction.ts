import {
  bytesToHex,
  compactSize,
  concatBytes,
  hexToBytes,
  joinBytes,
  littleEndian,
  varBytes,
} from './bytes.ts'
import { BitcoinError } from './errors.ts'
import { sha256d } from './keys.ts'
import type { Outpoint } from './outpoint.ts'
import { Reader } from './reader.ts'

export interface TxInput extends Outpoint {
  scriptSig: Uint8Array
  sequence: number
  witness: Uint8Array[]
}

export interface TxOutput {
  valueSats: number
  script: Uint8Array
}

export interface Tx {
  version: number
  inputs: TxInput[]
  outputs: TxOutput[]
  locktime: number
}

/** Replaceable (BIP-125) without a relative locktime (BIP-68). */
export const SEQUENCE_RBF = 0xfffffffd

/** Decodes a transaction. Throws `transaction-malformed`. */
export function decodeTransaction(raw: Uint8Array | string): Tx {
  try {
    return readTransaction(typeof raw === 'string' ? hexToBytes(raw) : raw)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown'
    throw new BitcoinError('transaction-malformed', `not a transaction: ${reason}`)
  }
}

function readTransaction(bytes: Uint8Array): Tx {
  const reader = new Reader(bytes)
  const version = reader.uint32() | 0
  const hasWitness = bytes[4] === 0 && bytes[5] === 1
  if (hasWitness) reader.at += 2
  const inputs: TxInput[] = []
  for (let count = reader.compactSize(); count > 0; count--) {
    const { txid, vout } = reader.outpoint()
    const scriptSig = reader.varBytes().slice()
    inputs.push({ txid, vout, scriptSig, sequence: reader.uint32(), witness: [] })
  }
  const outputs: TxOutput[] = []
  for (let count = reader.compactSize(); count > 0; count--) outputs.push(reader.output())
  if (hasWitness)
    for (const { witness } of inputs)
      for (let items = reader.compactSize(); items > 0; items--) witness.push(reader.varBytes().slice())
  const locktime = reader.uint32()
  if (reader.at !== bytes.length) throw new RangeError('unexpected bytes at the end')
  if (hasWitness && inputs.every(({ witness }) => witness.length === 0))
    throw new RangeError('a witness flag without a witness')
  return { version, inputs, outputs, locktime }
}

/** A transaction in scure's format. */
export interface ScureTx {
  version: number
  inputs: { txid: Uint8Array; index: number; finalScriptSig: Uint8Array; sequence: number }[]
  outputs: { amount: bigint; script: Uint8Array }[]
  witnesses?: Uint8Array[][] | undefined
  lockTime: number
}

export function fromScure(tx: ScureTx): Tx {
  return {
    version: tx.version,
    locktime: tx.lockTime,
    inputs: tx.inputs.map((input, i) => ({
      txid: bytesToHex(input.txid),
      vout: input.index,
      scriptSig: input.finalScriptSig ?? new Uint8Array(),
      sequence: input.sequence,
      witness: tx.witnesses?.[i] ?? [],
    })),
    outputs: tx.outputs.map((output) => ({ valueSats: Number(output.amount), script: output.script })),
  }
}

/** Encodes a transaction (BIP-144), optionally without witnesses. */
export function encodeTransaction(tx: Tx, form: 'full' | 'without-witness' = 'full'): Uint8Array {
  const segwit = form === 'full' && tx.inputs.some((input) => input.witness.length > 0)
  const parts: Uint8Array[] = [littleEndian(tx.version >>> 0, 4)]
  if (segwit) parts.push(Uint8Array.of(0, 1))
  parts.push(compactSize(tx.inputs.length))
  for (const input of tx.inputs)
    parts.push(encodeOutpoint(input), varBytes(input.scriptSig), littleEndian(input.sequence, 4))
  parts.push(compactSize(tx.outputs.length))
  for (const output of tx.outputs) parts.push(encodeOutput(output))
  if (segwit)
    for (const input of tx.inputs) {
      parts.push(compactSize(input.witness.length))
      for (const item of input.witness) parts.push(varBytes(item))
    }
  parts.push(littleEndian(tx.locktime, 4))
  return joinBytes(parts)
}

/** Encodes an outpoint in 36 bytes. */
export function encodeOutpoint({ txid, vout }: Outpoint): Uint8Array {
  return concatBytes(hexToBytes(txid).reverse(), littleEndian(vout, 4))
}

export function encodeOutput(output: TxOutput): Uint8Array {
  return concatBytes(littleEndian(output.valueSats, 8), varBytes(output.script))
}

/** Computes the txid in display order. */
export function txidOf(tx: Tx): string {
  return bytesToHex(sha256d(encodeTransaction(tx, 'without-witness')).reverse())
}

/** Computes the wtxid in display order (BIP-141). */
export function wtxidOf(tx: Tx): string {
  return bytesToHex(sha256d(encodeTransaction(tx)).reverse())
}

export function weightOf(tx: Tx): number {
  return encodeTransaction(tx, 'without-witness').length * 3 + encodeTransaction(tx).length
}

/** Virtual size in vB: weight / 4, rounded up. */
export function vsizeOf(tx: Tx): number {
  return Math.ceil(weightOf(tx) / 4)
}

export function hexOfTransaction(tx: Tx): string {
  return bytesToHex(encodeTransaction(tx))
}
