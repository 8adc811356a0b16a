import { RawWitness } from '@scure/btc-signer'
import { kindOfScript, p2shScript, p2wpkhScript } from './address.ts'
import {
  base64OfBytes,
  bytesOfBase64,
  bytesToHex,
  concatBytes,
  equalBytes,
  hexToBytes,
  varBytes,
} from './bytes.ts'
import {
  publicKeyOf,
  signEcdsa,
  signSchnorr,
  taggedHash,
  tweakPrivateKey,
  verifyEcdsa,
  verifySchnorr,
} from './keys.ts'
import { decodePsbt, unsignedTransactionOf } from './psbt.ts'
import { p2wpkhScriptCode, SIGHASH, segwitSighash, taprootSighash } from './sighash.ts'
import { decodeTransaction, encodeTransaction, type Tx, type TxOutput, txidOf } from './transaction.ts'

/** Builds the virtual transactions `to_spend` and `to_sign` of BIP-322. */
export function virtualTransactions(message: string, script: Uint8Array): { toSpend: Tx; toSign: Tx } {
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
    outputs: [{ valueSats: 0, script }],
  }
  const toSign: Tx = {
    version: 0,
    locktime: 0,
    inputs: [{ txid: txidOf(toSpend), vout: 0, sequence: 0, scriptSig: new Uint8Array(), witness: [] }],
    outputs: [{ valueSats: 0, script: Uint8Array.of(0x6a) }],
  }
  return { toSpend, toSign }
}

/**
 * Verifies a BIP-322 signature in hex or base64. Never throws. Supports P2TR key path (DEFAULT or ALL), P2WPKH and P2SH-P2WPKH, in three
 * forms: a witness stack ("simple", optional prefix `smp`), a signed `to_sign` ("full", optional prefix `ful`), and a signed PSBT of
 * `to_sign`. Returns false if the PSBT contains a different message.
 */
export function verifyMessage(script: Uint8Array, message: string, signature: string): boolean {
  const proof = proofIn(signature)
  if (!proof) return false
  const { witness } = proof
  const toSign = proof.transaction ?? virtualTransactions(message, script).toSign
  if (proof.message && !equalBytes(proof.message, new TextEncoder().encode(message))) return false
  if (proof.transaction && !isToSign(proof.transaction, message, script)) return false
  const kind = kindOfScript(script)
  if (kind === 'p2tr') {
    const [raw] = witness
    if (witness.length !== 1 || !raw || hasOtherScriptSig(proof)) return false
    const type = raw.length === 65 ? raw[64]! : SIGHASH.DEFAULT
    if (raw.length !== 64 && (raw.length !== 65 || type !== SIGHASH.ALL)) return false
    const prevouts: TxOutput[] = [{ valueSats: 0, script }]
    return verifySchnorr(raw.slice(0, 64), taprootSighash(toSign, 0, prevouts, type), script.slice(2))
  }
  if (kind !== 'p2wpkh' && kind !== 'p2sh') return false
  const [raw, publicKey] = witness
  if (witness.length !== 2 || !raw || publicKey?.length !== 33) return false
  const keyScript = p2wpkhScript(publicKey)
  const isNested = kind === 'p2sh'
  if (!equalBytes(isNested ? p2shScript(keyScript) : keyScript, script)) return false
  if (hasOtherScriptSig(proof, isNested ? varBytes(keyScript) : undefined)) return false
  if (raw.at(-1) !== SIGHASH.ALL) return false
  const hash = segwitSighash(toSign, 0, p2wpkhScriptCode(publicKey), 0, SIGHASH.ALL)
  return verifyEcdsa(raw.slice(0, -1), hash, publicKey)
}

/** Signs a message as BIP-322 "simple". Returns the witness in hex. */
export function signMessage(script: Uint8Array, message: string, privateKey: Uint8Array): string {
  const { toSign } = virtualTransactions(message, script)
  if (kindOfScript(script) === 'p2tr') {
    const hash = taprootSighash(toSign, 0, [{ valueSats: 0, script }], SIGHASH.DEFAULT)
    return bytesToHex(RawWitness.encode([signSchnorr(hash, tweakPrivateKey(privateKey))]))
  }
  const publicKey = publicKeyOf(privateKey)
  const hash = segwitSighash(toSign, 0, p2wpkhScriptCode(publicKey), 0, SIGHASH.ALL)
  const signature = concatBytes(signEcdsa(hash, privateKey), Uint8Array.of(SIGHASH.ALL))
  return bytesToHex(RawWitness.encode([signature, publicKey]))
}

interface Proof {
  witness: Uint8Array[]
  transaction?: Tx
  isFinal?: boolean
  /** Message field of a PSBT. */
  message?: Uint8Array | undefined
}

function bytesIn(text: string): Uint8Array | null {
  const isHex = /^(?:[0-9a-fA-F]{2})+$/.test(text)
  return isHex ? hexToBytes(text.toLowerCase()) : bytesOfBase64(text)
}

function proofIn(signature: string): Proof | null {
  // Signatures have a form prefix since BIP-322 1.0.0.
  const form = /^(?:smp|ful|pof)/.exec(signature)?.[0] ?? ''
  if (form === 'pof') return null
  const bytes = bytesIn(signature.slice(form.length))
  if (!bytes || bytes.length > MAX_BYTES) return null
  const isPsbt = equalBytes(bytes.subarray(0, PSBT_MAGIC.length), PSBT_MAGIC)
  if (isPsbt) return form === '' ? attempt(() => proofInPsbt(bytes)) : null
  const simple = form === 'ful' ? null : attempt(() => ({ witness: RawWitness.decode(bytes) }))
  return simple ?? (form === 'smp' ? null : attempt(() => proofInTransaction(bytes)))
}

/** Describes a signature form that `script` never accepts, or returns null. */
export function unsupportedForm(script: Uint8Array, signature: string): string | null {
  if (signature.startsWith('pof')) return 'a BIP-322 proof of funds (pof)'
  const bytes = bytesIn(signature)
  if (bytes?.length === 65 && bytes[0]! >= 27 && bytes[0]! <= 42) return 'a signature of BIP-137'
  const proof = proofIn(signature)
  const isSigned = proof !== null && (proof.isFinal || proof.witness.length > 0)
  const isByKey = proof?.witness.length === (kindOfScript(script) === 'p2tr' ? 1 : 2)
  return isSigned && !isByKey ? 'not by the key of the address alone' : null
}

/** Size limit of a PSBT. Decoding is expensive, because each public key is validated as a curve point. */
const MAX_BYTES = 3000
const PSBT_MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff)

function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

function proofInTransaction(bytes: Uint8Array): Proof {
  const transaction = decodeTransaction(bytes)
  return { transaction, witness: transaction.inputs[0]?.witness ?? [], isFinal: true }
}

function proofInPsbt(bytes: Uint8Array): Proof {
  const base64 = base64OfBytes(bytes)
  const { inputs, global } = decodePsbt(base64)
  const { finalScriptWitness, tapKeySig, partialSig = [] } = inputs[0] ?? {}
  const signed = partialSig.length === 1 ? [partialSig[0]![1], partialSig[0]![0]] : []
  const witness = finalScriptWitness ?? (tapKeySig ? [tapKeySig] : signed)
  return { witness, transaction: unsignedTransactionOf(base64), message: global.genericSignedMessage }
}

/**
 * Checks that a transaction is the `to_sign` of a message. Ignores version, sequence and locktime, which matter only for time locks
 * (BIP-322).
 */
function isToSign(tx: Tx, message: string, script: Uint8Array): boolean {
  const { toSign } = virtualTransactions(message, script)
  const [input] = tx.inputs
  if (!input || (tx.version !== 0 && tx.version !== 2)) return false
  const bare = {
    ...tx,
    version: 0,
    locktime: 0,
    inputs: [{ ...input, sequence: 0, scriptSig: new Uint8Array() }, ...tx.inputs.slice(1)],
  }
  return equalBytes(encodeTransaction(bare, 'without-witness'), encodeTransaction(toSign, 'without-witness'))
}

function hasOtherScriptSig(
  { transaction, isFinal }: Proof,
  expected: Uint8Array = new Uint8Array(),
): boolean {
  if (!transaction) return false
  return !equalBytes(transaction.inputs[0]!.scriptSig, isFinal ? expected : new Uint8Array())
}

/** Extracts the public key from a segwit version 0 signature. */
export function publicKeyIn(signature: string): Uint8Array | null {
  const [, publicKey] = proofIn(signature)?.witness ?? []
  return publicKey?.length === 33 ? publicKey : null
}
