import type { KeySpend } from '../address.ts'
import type { Outpoint } from '../outpoint.ts'
import { sumSats } from '../sats.ts'
import { p2wpkhScriptCode, SIGHASH, segwitSighash, taprootSighash } from '../sighash.ts'
import { SEQUENCE_RBF, type Tx, type TxOutput, txidOf, vsizeOf } from '../transaction.ts'
import type { BidOutput } from './bid-output.ts'
import type { Leaf, Passthrough } from './passthrough.ts'

export interface Coin extends Outpoint, TxOutput {}

export type Role =
  | 'inscription'
  | 'anchor'
  | 'escrow'
  | 'payment'
  | 'tail'
  | 'pad'
  | 'funding'
  | 'payout'
  | 'service'
  | 'royalty'
  | 'donation'
  | 'change'
  | 'recovery'
  | 'runes'
  | 'runestone'

export type Spend =
  | ({ by: 'key' } & KeySpend)
  | ({ by: 'escrow' } & Passthrough)
  /** An escrow coin, spent with the exit leaf. */
  | ({ by: 'exit'; sellerKey: Uint8Array } & Leaf)
  | ({ by: 'bid' } & BidOutput)

export interface LayoutInput {
  role: Role
  coin: Coin
  signer: 'seller' | 'buyer' | 'proposer' | 'acceptor' | 'market'
  spend: Spend
  /** Default `SEQUENCE_RBF`. A sale leg encodes its generation. */
  sequence?: number
}

export interface LayoutOutput extends TxOutput {
  role: Role
}

/**
 * A transaction of a trade, with a role for each input and output. Transactions, PSBTs and signing requests derive from it. To check a
 * transaction, rebuild its layout and compare.
 */
export interface Layout {
  version: 2 | 3
  inputs: LayoutInput[]
  outputs: LayoutOutput[]
}

/** Returns the indexes of entries with a role. */
export function positionsOf(entries: readonly { role: Role }[], role: Role): number[] {
  return entries.flatMap((entry, index) => (entry.role === role ? [index] : []))
}

export function changeOf(layout: Layout): Coin[] {
  const txid = txidOf(transactionOf(layout))
  return positionsOf(layout.outputs, 'change').map((vout) => {
    const { valueSats, script } = layout.outputs[vout]!
    return { txid, vout, valueSats, script }
  })
}

export function prevoutsOf(layout: Layout): TxOutput[] {
  return layout.inputs.map(({ coin }) => coin)
}

/** Returns the unsigned transaction, including the script signatures of nested segwit inputs. Its txid is final. */
export function transactionOf(layout: Layout): Tx {
  return {
    version: layout.version,
    locktime: 0,
    inputs: layout.inputs.map(({ coin, spend, sequence }) => ({
      txid: coin.txid,
      vout: coin.vout,
      sequence: sequence ?? SEQUENCE_RBF,
      scriptSig:
        spend.by === 'key' && spend.redeemScript
          ? Uint8Array.of(spend.redeemScript.length, ...spend.redeemScript)
          : new Uint8Array(),
      witness: [],
    })),
    outputs: layout.outputs.map(({ valueSats, script }) => ({ valueSats, script })),
  }
}

/** Returns the hash to sign for an input. */
export function sighashOf(layout: Layout, index: number, sighash: number): Uint8Array {
  const { spend, coin } = layout.inputs[index]!
  const tx = transactionOf(layout)
  if (spend.by !== 'key')
    return taprootSighash(tx, index, prevoutsOf(layout), sighash, { leafHash: spend.leafHash })
  if (spend.kind === 'p2tr') return taprootSighash(tx, index, prevoutsOf(layout), sighash)
  return segwitSighash(tx, index, p2wpkhScriptCode(spend.publicKey), coin.valueSats, sighash)
}

/** Returns the largest witness of a spend. */
function largestWitness(spend: Spend): Uint8Array[] {
  if (spend.by === 'escrow') return [new Uint8Array(64), new Uint8Array(65), spend.leaf, spend.controlBlock]
  if (spend.by === 'exit') return [new Uint8Array(64), spend.leaf, spend.controlBlock]
  if (spend.by === 'bid')
    return [new Uint8Array(64), new Uint8Array(64), new Uint8Array(32), spend.leaf, spend.controlBlock]
  return spend.kind === 'p2tr' ? [new Uint8Array(64)] : [new Uint8Array(72), new Uint8Array(33)]
}

/** Returns the maximum size in vB after signing. */
export function signedVsizeOf(layout: Layout): number {
  const tx = transactionOf(layout)
  for (const [i, input] of tx.inputs.entries()) input.witness = largestWitness(layout.inputs[i]!.spend)
  return vsizeOf(tx)
}

/** DEFAULT for taproot, ALL for segwit version 0. */
export function defaultSighashOf(spend: Spend): number {
  return spend.by !== 'key' || spend.kind === 'p2tr' ? SIGHASH.DEFAULT : SIGHASH.ALL
}

export function feeOfLayout(layout: Layout): number {
  return (
    sumSats(prevoutsOf(layout).map((output) => output.valueSats)) -
    sumSats(layout.outputs.map((output) => output.valueSats))
  )
}

/** Returns the signed transaction. All inputs must be spent by key. */
export function keySigned(layout: Layout, signatures: readonly Uint8Array[]): Tx {
  const tx = transactionOf(layout)
  for (const [i, input] of tx.inputs.entries()) {
    const { spend } = layout.inputs[i]!
    if (spend.by !== 'key') throw new TypeError(`input ${i} is not spent by key`)
    input.witness = keyWitness(spend, signatures[i]!)
  }
  return tx
}

export function keyWitness(
  spend: { kind: string; publicKey: Uint8Array },
  signature: Uint8Array,
): Uint8Array[] {
  return spend.kind === 'p2tr' ? [signature] : [signature, spend.publicKey]
}
