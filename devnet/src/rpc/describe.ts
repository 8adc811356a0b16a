import { addressOfScript, kindOfScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { btcOfSats } from '@ordbook/bitcoin/sats.ts'
import {
  hexOfTransaction,
  type Tx,
  type TxOutput,
  txidOf,
  vsizeOf,
  weightOf,
  wtxidOf,
} from '@ordbook/bitcoin/transaction.ts'
import type { Unspent } from '../chain.ts'
import type { PackageResult } from '../node.ts'

const TYPES = {
  p2tr: 'witness_v1_taproot',
  p2wpkh: 'witness_v0_keyhash',
  p2wsh: 'witness_v0_scripthash',
  p2sh: 'scripthash',
  p2pkh: 'pubkeyhash',
  other: 'nonstandard',
}

export function describeScript(script: Uint8Array) {
  const address = addressOfScript(script, 'regtest')
  const type = script[0] === 0x6a ? 'nulldata' : TYPES[kindOfScript(script)]
  return { hex: bytesToHex(script), ...(address ? { address } : {}), type }
}

export function describeTransaction(tx: Tx, spent?: readonly TxOutput[]) {
  return {
    txid: txidOf(tx),
    hash: wtxidOf(tx),
    version: tx.version,
    vsize: vsizeOf(tx),
    weight: weightOf(tx),
    locktime: tx.locktime,
    vin: tx.inputs.map((input, i) => {
      const coin = spent?.[i] as Unspent | undefined
      return {
        ...(input.vout === 0xffffffff
          ? { coinbase: bytesToHex(input.scriptSig) }
          : { txid: input.txid, vout: input.vout, scriptSig: { hex: bytesToHex(input.scriptSig) } }),
        ...(input.witness.length > 0 ? { txinwitness: input.witness.map((item) => bytesToHex(item)) } : {}),
        ...(coin
          ? {
              prevout: {
                generated: coin.coinbase,
                height: coin.height,
                value: btcOfSats(coin.valueSats),
                scriptPubKey: describeScript(coin.script),
              },
            }
          : {}),
        sequence: input.sequence,
      }
    }),
    vout: tx.outputs.map((output, n) => ({
      value: btcOfSats(output.valueSats),
      n,
      scriptPubKey: describeScript(output.script),
    })),
    hex: hexOfTransaction(tx),
  }
}

export function describeTest(result: PackageResult) {
  const base = { txid: result.txid, wtxid: result.wtxid }
  if (result.error === 'package-not-fully-validated') return base
  return result.error
    ? {
        ...base,
        allowed: false,
        'reject-reason': result.error,
        'reject-details': result.details ?? result.error,
      }
    : { ...base, allowed: true, vsize: result.vsize, fees: { base: btcOfSats(result.feeSats ?? 0) } }
}

export function describeSubmitted(result: PackageResult) {
  return result.error
    ? { txid: result.txid, error: result.details ?? result.error }
    : { txid: result.txid, vsize: result.vsize, fees: { base: btcOfSats(result.feeSats ?? 0) } }
}
