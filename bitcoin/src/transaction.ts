import { RawTx } from '@scure/btc-signer'
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

/** Replaceable, and no relative locktime (BIP-125, BIP-68). */
export const SEQUENCE_RBF = 0xfffffffd

/** Reads a transaction in consensus serialisation. Throws `transaction-malformed`. */
export function decodeTransaction(raw: Uint8Array | string): Tx {
  try {
    return fromScure(RawTx.decode(typeof raw === 'string' ? hexToBytes(raw) : raw))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown'
    throw new BitcoinError('transaction-malformed', `not a transaction: ${reason}`)
  }
}

/** A transaction in scure's format; PSBT maps use it without witnesses. */
export interface ScureTx {
  version: number
  inputs: { txid: Uint8Array; index: number; finalScriptSig: Uint8Array; sequence: number }[]
  outputs: { amount: bigint; script: Uint8Array }[]
  witnesses?: Uint8Array[][] | undefined
  lockTime: number
}

/** Conversion to and from scure's coders, the only place with bigint amounts. */
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

/** The consensus serialisation (BIP-144), or without witnesses the one that the txid hashes. */
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

/** 36 bytes: the txid in wire order and the output's index. */
export function encodeOutpoint({ txid, vout }: Outpoint): Uint8Array {
  return concatBytes(hexToBytes(txid).reverse(), littleEndian(vout, 4))
}

/** An output in consensus serialisation. */
export function encodeOutput(output: TxOutput): Uint8Array {
  return concatBytes(littleEndian(output.valueSats, 8), varBytes(output.script))
}

/** The transaction's id: hex, display order. Witnesses do not count, script signatures do. */
export function txidOf(tx: Tx): string {
  return bytesToHex(sha256d(encodeTransaction(tx, 'without-witness')).reverse())
}

/** The hash that covers witnesses too (BIP-141): hex, display order. */
export function wtxidOf(tx: Tx): string {
  return bytesToHex(sha256d(encodeTransaction(tx)).reverse())
}

/** Weight units, BIP-141. */
export function weightOf(tx: Tx): number {
  return encodeTransaction(tx, 'without-witness').length * 3 + encodeTransaction(tx).length
}

/** Virtual size in vB: weight / 4, rounded up. */
export function vsizeOf(tx: Tx): number {
  return Math.ceil(weightOf(tx) / 4)
}

/** Hex of the full serialization, as RPCs expect it. */
export function hexOfTransaction(tx: Tx): string {
  return bytesToHex(encodeTransaction(tx))
}
