import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import { base64OfBytes, bytesOfBase64, concatBytes, equalBytes } from './bytes.ts'
import { BitcoinError } from './errors.ts'
import { verifyEcdsa, verifySchnorr } from './keys.ts'
import { encodeUnsignedPsbt } from './psbt-writer.ts'
import { Reader } from './reader.ts'
import { isTaprootSighash, SIGHASH } from './sighash.ts'
import { atOnce, type Steps } from './steps.ts'
import { assertExecutable } from './trade/executable.ts'
import { defaultSighashOf, type Layout, type Spend, sighashOf, transactionOf } from './trade/layout.ts'
import type { Leaf } from './trade/passthrough.ts'
import { encodeTransaction, fromScure, type ScureTx, type Tx, txidOf } from './transaction.ts'

/** Inputs to sign, and the sighash if it is not the wallet's default. */
export interface SigningRequest {
  indexes: number[]
  sighash?: number
}

/**
 * The layout as an unsigned PSBT (BIP-174, BIP-371), base64. An escrow input contains its one leaf, and no internal key or merkle root:
 * wallets sign every leaf that they see, and with those two fields also the key path, which would bypass the co-signature. A leaf of the
 * untweaked key lists that key with this leaf and without origin, because Bitcoin Core finds its keys by that entry. `previous` has known
 * full previous transactions by txid.
 */
export function psbtOf(layout: Layout, request: SigningRequest, previous?: ReadonlyMap<string, Tx>): string {
  const sighashes = layout.inputs.map(({ spend }, index) =>
    statedSighashOf(spend, request.indexes.includes(index) ? request.sighash : undefined),
  )
  return base64OfBytes(encodeUnsignedPsbt(layout, unsignedOf(layout), sighashes, previous))
}

/** The layout's transaction as a PSBT holds it: without script signatures. */
function unsignedOf(layout: Layout): Tx {
  const tx = transactionOf(layout)
  for (const input of tx.inputs) input.scriptSig = new Uint8Array()
  return tx
}

/** Some wallets refuse a PSBT in which a segwit version 0 input names no sighash, also one that others sign. */
function statedSighashOf(spend: Spend, asked: number | undefined): number | undefined {
  const isVersion0 = spend.by === 'key' && spend.kind !== 'p2tr'
  return asked ?? (isVersion0 ? SIGHASH.ALL : undefined)
}

export type DecodedPsbt = ReturnType<typeof RawPSBTV0.decode>

/** The bytes of a PSBT in base64, in which white space counts for nothing. Throws `psbt-malformed`, naming hex and version 2. */
export function psbtBytesOf(base64: string): Uint8Array {
  const text = base64.replace(/\s+/g, '')
  if (/^70736274ff/i.test(text)) throw malformed('the PSBT is in hex: send it in base64')
  const bytes = bytesOfBase64(text)
  if (!bytes) throw malformed('the PSBT is not base64')
  if (!equalBytes(bytes.subarray(0, MAGIC.length), MAGIC))
    throw malformed('these bytes are not a PSBT: they do not begin with "psbt" and 0xff')
  const version = versionOf(bytes)
  if (version !== 0)
    throw malformed(
      `the PSBT is of version ${version}: convert it to version 0 (BIP-174), which wallets write by default`,
    )
  return bytes
}

/** Reads a version 0 PSBT into its maps. Throws `psbt-malformed`. */
export function decodePsbt(base64: string): DecodedPsbt {
  const bytes = psbtBytesOf(base64)
  try {
    return RawPSBTV0.decode(bytes)
  } catch {
    throw malformed(
      'the PSBT cannot be read: a field of it is cut off, repeated, or has a value of another form',
    )
  }
}

const MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff)
/** The type of the global field that names a version above 0 (BIP-370). */
const GLOBAL_VERSION = 0xfb

/** The version in the global map of a PSBT; 0 if it is absent or unreadable. */
function versionOf(bytes: Uint8Array): number {
  const reader = new Reader(bytes)
  reader.at = MAGIC.length
  try {
    for (let key = reader.varBytes(); key.length > 0; key = reader.varBytes()) {
      const value = reader.varBytes()
      if (key[0] === GLOBAL_VERSION && key.length === 1) return new Reader(value).uint32()
    }
  } catch {
    // The codec refuses it.
  }
  return 0
}

const malformed = (reason: string) => new BitcoinError('psbt-malformed', reason)

/** The unsigned transaction inside a PSBT. Throws `psbt-malformed`. */
export function unsignedTransactionOf(psbt: string | DecodedPsbt): Tx {
  const { unsignedTx } = (typeof psbt === 'string' ? decodePsbt(psbt) : psbt).global
  if (!unsignedTx) throw malformed('the PSBT holds no unsigned transaction')
  return fromScure(unsignedTx as ScureTx)
}

/**
 * The id that the transaction of a PSBT has once it is signed: nested segwit inputs get their redeem scripts, which the id commits to.
 * Throws `psbt-malformed`.
 */
export function signedTxidOf(base64: string): string {
  const psbt = decodePsbt(base64)
  const tx = unsignedTransactionOf(psbt)
  for (const [index, { redeemScript }] of psbt.inputs.entries())
    if (redeemScript)
      tx.inputs[index]!.scriptSig = concatBytes(Uint8Array.of(redeemScript.length), redeemScript)
  return txidOf(tx)
}

/** The full previous transaction of each input, or null. Throws `psbt-malformed`. */
export function previousTransactionsOf(base64: string): (Tx | null)[] {
  return decodePsbt(base64).inputs.map(({ nonWitnessUtxo }) =>
    nonWitnessUtxo ? fromScure(nonWitnessUtxo as ScureTx) : null,
  )
}

/** The outputs that the inputs spend, according to the PSBT. Throws `psbt-malformed` if one is missing. */
export function spentOutputsOf(base64: string): { valueSats: number; script: Uint8Array }[] {
  return decodePsbt(base64).inputs.map(({ witnessUtxo }, index) => {
    if (!witnessUtxo) throw malformed(`input ${index} carries no witness UTXO`)
    return { valueSats: Number(witnessUtxo.amount), script: witnessUtxo.script }
  })
}

/** The sighash type of each input in the PSBT, or null. Throws `psbt-malformed`. */
export function sighashesOf(base64: string): (number | null)[] {
  return decodePsbt(base64).inputs.map((input) => input.sighashType ?? null)
}

/** The first taproot leaf of each input, without its version, or undefined. */
export function leafScriptsOf(base64: string): (Uint8Array | undefined)[] {
  return decodePsbt(base64).inputs.map((input) => input.tapLeafScript?.[0]?.[1].slice(0, -1))
}

/**
 * Extracts the signatures of `request.indexes` from a signed PSBT. Each is verified against the expected layout, and the input's script is
 * run with it. Nothing else of the PSBT is used. Rejects the whole PSBT if an escrow input contains more than the sale leaf's signature,
 * because any reader of such a PSBT could spend the coin. Returns signatures with sighash byte by input index, in witness form. Throws
 * `transaction-changed`, `input-unsigned`, `wrong-sighash`, `signature-invalid`, `escrow-key-path-signed`, `escrow-other-leaf-signed` or
 * `escrow-finalised`.
 */
export function signaturesFrom(
  base64: string,
  layout: Layout,
  request: SigningRequest,
): Map<number, Uint8Array> {
  return atOnce(signaturesInSteps(base64, layout, request))
}

/** The same as `signaturesFrom`, signature by signature. */
export function* signaturesInSteps(
  base64: string,
  layout: Layout,
  request: SigningRequest,
): Steps<Map<number, Uint8Array>> {
  const psbt = decodePsbt(base64)
  yield
  const expected = unsignedOf(layout)
  const found = unsignedTransactionOf(psbt)
  if (
    !equalBytes(encodeTransaction(found, 'without-witness'), encodeTransaction(expected, 'without-witness'))
  )
    throw new BitcoinError('transaction-changed', 'the signed transaction is not the one that was prepared')
  for (const [index, { spend }] of layout.inputs.entries())
    if (spend.by === 'escrow') refuseEscrowLeak(psbt.inputs[index]!, spend, index)
  const signatures = new Map<number, Uint8Array>()
  for (const index of request.indexes) {
    const signature = findSignature(psbt.inputs[index]!, layout, index)
    if (!signature) throw new BitcoinError('input-unsigned', `input ${index} is not signed`, { index })
    assertSighash(signature, layout, index, request.sighash ?? null)
    assertExecutable(layout, index, signature)
    signatures.set(index, signature)
    yield
  }
  return signatures
}

type RawInput = DecodedPsbt['inputs'][number]

/**
 * Refuses what lets others spend an escrow coin without the market: the owner's signature for the key path or for
 * another leaf, and a finished input, which can only be one of these.
 */
function refuseEscrowLeak(input: RawInput, { leafHash }: Leaf, index: number): void {
  const leaked = input.tapKeySig
    ? (['escrow-key-path-signed', 'signed the key path'] as const)
    : input.tapScriptSig?.some(([at]) => !equalBytes(at.leafHash, leafHash))
      ? (['escrow-other-leaf-signed', 'signed another leaf'] as const)
      : input.finalScriptWitness || input.finalScriptSig
        ? (['escrow-finalised', 'finished the input'] as const)
        : null
  if (!leaked) return
  const [code, what] = leaked
  throw new BitcoinError(
    code,
    `the wallet ${what} of the escrow coin (input ${index}), and nothing was kept of it: sign only the leaf that the PSBT shows, without finalising, with a wallet that does not hold the escrow's descriptor; and show the signed PSBT to no one else`,
    { index },
  )
}

function findSignature(input: RawInput, layout: Layout, index: number): Uint8Array | undefined {
  const { spend } = layout.inputs[index]!
  const final = input.finalScriptWitness
  if (spend.by === 'bid') return undefined
  if (spend.by === 'escrow' || spend.by === 'exit') {
    const signature = input.tapScriptSig?.find(
      ([at]) => equalBytes(at.pubKey, spend.sellerKey) && equalBytes(at.leafHash, spend.leafHash),
    )?.[1]
    const finished = spend.by === 'exit' && final?.length === 3 && equalBytes(final[1]!, spend.leaf)
    return signature ?? (finished ? final[0] : undefined)
  }
  if (spend.kind === 'p2tr') return input.tapKeySig ?? (final?.length === 1 ? final[0] : undefined)
  const partial = input.partialSig?.find(([key]) => equalBytes(key, spend.publicKey))?.[1]
  return partial ?? (final?.length === 2 && equalBytes(final[1]!, spend.publicKey) ? final[0] : undefined)
}

/**
 * Verifies a signature in witness form. `sighash` null means the wallet's default; for taproot that can also be ALL. Throws `wrong-sighash`
 * or `signature-invalid`.
 */
export function verifySignature(
  signature: Uint8Array,
  layout: Layout,
  index: number,
  sighash: number | null,
): void {
  const type = assertSighash(signature, layout, index, sighash)
  const { spend } = layout.inputs[index]!
  const hash = sighashOf(layout, index, type)
  const valid =
    spend.by !== 'key'
      ? verifySchnorr(signature.slice(0, 64), hash, spend.by === 'bid' ? spend.guardianKey : spend.sellerKey)
      : spend.kind === 'p2tr'
        ? verifySchnorr(signature.slice(0, 64), hash, spend.publicKey)
        : verifyEcdsa(signature.slice(0, -1), hash, spend.publicKey)
  if (!valid) throw invalidSignature(index, 'is not valid')
}

const invalidSignature = (index: number, reason: string) =>
  new BitcoinError('signature-invalid', `the signature of input ${index} ${reason}`, { index })

/** The sighash type of a signature, which must be one of the requested types. Throws `wrong-sighash` or `signature-invalid`. */
function assertSighash(signature: Uint8Array, layout: Layout, index: number, sighash: number | null): number {
  const { spend } = layout.inputs[index]!
  const taproot = spend.by !== 'key' || spend.kind === 'p2tr'
  // Consensus accepts no other length (BIP-341), and bytes between signature and sighash byte would not be covered by the verification.
  if (taproot && signature.length !== 64 && signature.length !== 65)
    throw invalidSignature(
      index,
      `has ${signature.length} bytes: a Schnorr signature has 64, or 65 with its sighash byte`,
    )
  const type = taproot && signature.length === 64 ? SIGHASH.DEFAULT : (signature.at(-1) ?? SIGHASH.NONE)
  const allowed =
    sighash !== null ? [sighash] : taproot ? [SIGHASH.DEFAULT, SIGHASH.ALL] : [defaultSighashOf(spend)]
  const explicitDefault = taproot && signature.length === 65 && type === SIGHASH.DEFAULT
  if (!allowed.includes(type) || explicitDefault || (taproot && !isTaprootSighash(type)))
    throw new BitcoinError(
      'wrong-sighash',
      `input ${index} is signed with sighash ${type}, asked for was ${allowed.join(' or ')}`,
      { index, type },
    )
  return type
}
