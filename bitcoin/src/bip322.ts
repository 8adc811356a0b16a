import { RawWitness } from '@scure/btc-signer'
import { kindOfScript, p2shScript, p2wpkhScript } from './address.ts'
import { bytesOfBase64, bytesToHex, concatBytes, equalBytes, hexToBytes } from './bytes.ts'
import {
  publicKeyOf,
  signEcdsa,
  signSchnorr,
  taggedHash,
  tweakPrivateKey,
  verifyEcdsa,
  verifySchnorr,
} from './keys.ts'
import { p2wpkhScriptCode, SIGHASH, segwitSighash, taprootSighash } from './sighash.ts'
import { type Tx, type TxOutput, txidOf } from './transaction.ts'

/** BIP-322's two virtual transactions for a message and the script that is challenged. */
function virtualTransactions(message: string, script: Uint8Array): { toSign: Tx; prevout: TxOutput } {
  const prevout = { valueSats: 0, script }
  const hash = taggedHash('BIP0322-signed-message', new TextEncoder().encode(message))
  const toSpend: Tx = {
    version: 0,
    locktime: 0,
    inputs: [
      {
        txid: '0'.repeat(64),
        vout: 0xffffffff,
        sequence: 0,
        scriptSig: concatBytes(Uint8Array.of(0x00, 0x20), hash),
        witness: [],
      },
    ],
    outputs: [prevout],
  }
  const toSign: Tx = {
    version: 0,
    locktime: 0,
    inputs: [{ txid: txidOf(toSpend), vout: 0, sequence: 0, scriptSig: new Uint8Array(), witness: [] }],
    outputs: [{ valueSats: 0, script: Uint8Array.of(0x6a) }],
  }
  return { toSign, prevout }
}

/**
 * Verifies a BIP-322 "simple" signature: a witness stack, hex or base64, over `message` by the owner of `script`.
 * P2TR key path with 64-byte (DEFAULT) or 65-byte (ALL) signatures, P2WPKH, and P2SH-P2WPKH. Never throws.
 */
export function verifyMessage(script: Uint8Array, message: string, signature: string): boolean {
  const witness = decodeWitness(signature)
  if (!witness) return false
  const { toSign, prevout } = virtualTransactions(message, script)
  const kind = kindOfScript(script)
  if (kind === 'p2tr') {
    const [raw] = witness
    if (witness.length !== 1 || !raw) return false
    const type = raw.length === 65 ? raw[64]! : SIGHASH.DEFAULT
    if (raw.length !== 64 && (raw.length !== 65 || type !== SIGHASH.ALL)) return false
    return verifySchnorr(raw.slice(0, 64), taprootSighash(toSign, 0, [prevout], type), script.slice(2))
  }
  if (kind !== 'p2wpkh' && kind !== 'p2sh') return false
  const [raw, publicKey] = witness
  if (witness.length !== 2 || !raw || publicKey?.length !== 33) return false
  const keyScript = p2wpkhScript(publicKey)
  if (!equalBytes(kind === 'p2wpkh' ? keyScript : p2shScript(keyScript), script)) return false
  if (raw.at(-1) !== SIGHASH.ALL) return false
  const hash = segwitSighash(toSign, 0, p2wpkhScriptCode(publicKey), 0, SIGHASH.ALL)
  return verifyEcdsa(raw.slice(0, -1), hash, publicKey)
}

/** Signs a message as BIP-322 "simple"; hex of the witness. P2TR keys are tweaked as BIP-86 does. */
export function signMessage(script: Uint8Array, message: string, privateKey: Uint8Array): string {
  const { toSign, prevout } = virtualTransactions(message, script)
  if (kindOfScript(script) === 'p2tr') {
    const hash = taprootSighash(toSign, 0, [prevout], SIGHASH.DEFAULT)
    return bytesToHex(RawWitness.encode([signSchnorr(hash, tweakPrivateKey(privateKey))]))
  }
  const publicKey = publicKeyOf(privateKey)
  const hash = segwitSighash(toSign, 0, p2wpkhScriptCode(publicKey), 0, SIGHASH.ALL)
  const signature = concatBytes(signEcdsa(hash, privateKey), Uint8Array.of(SIGHASH.ALL))
  return bytesToHex(RawWitness.encode([signature, publicKey]))
}

function decodeWitness(signature: string): Uint8Array[] | null {
  const isHex = /^(?:[0-9a-fA-F]{2})+$/.test(signature)
  const bytes = isHex ? hexToBytes(signature.toLowerCase()) : bytesOfBase64(signature)
  try {
    return bytes && RawWitness.decode(bytes)
  } catch {
    return null
  }
}

/** The public key that a BIP-322 "simple" signature of a segwit version 0 address shows; null where it shows none. */
export function publicKeyIn(signature: string): Uint8Array | null {
  const [, publicKey] = decodeWitness(signature) ?? []
  return publicKey?.length === 33 ? publicKey : null
}
