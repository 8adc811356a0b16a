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

/** Inputs to sign. Without `sighash`, the wallet uses its default. */
export interface SigningRequest {
  indexes: number[]
  sighash?: number
}

/**
 * Encodes the layout as an unsigned base64 PSBT (BIP-174, BIP-371). `previous` maps txids to full transactions.
 *
 * An escrow input contains one leaf, without internal key or merkle root. Otherwise wallets would also sign the key path, which bypasses
 * the co-signature. A leaf with the untweaked key also lists the key without origin, because Bitcoin Core finds its keys by this entry.
 */
export function psbtOf(layout: Layout, request: SigningRequest, previous?: ReadonlyMap<string, Tx>): string {
  const sighashes = layout.inputs.map(({ spend }, index) =>
    statedSighashOf(spend, request.indexes.includes(index) ? request.sighash : undefined),
  )
  return base64OfBytes(encodeUnsignedPsbt(layout, unsignedOf(layout), sighashes, previous))
}

/** PSBTs require a transaction without script signatures. */
function unsignedOf(layout: Layout): Tx {
  const tx = transactionOf(layout)
  for (const input of tx.inputs) input.scriptSig = new Uint8Array()
  return tx
}

/** Some wallets reject a PSBT if any segwit version 0 input has no sighash type. */
function statedSighashOf(spend: Spend, requested: number | undefined): number | undefined {
  const isVersion0 = spend.by === 'key' && spend.kind !== 'p2tr'
  return requested ?? (isVersion0 ? SIGHASH.ALL : undefined)
}

export type DecodedPsbt = ReturnType<typeof RawPSBTV0.decode>

/** Decodes a base64 PSBT, ignoring white space. Throws `psbt-malformed`. */
export function psbtBytesOf(base64: string): Uint8Array {
  const text = base64.replace(/\s+/g, '')
  if (/^70736274ff/i.test(text)) throw malformed('the PSBT is hex, expected base64')
  const bytes = bytesOfBase64(text)
  if (!bytes) throw malformed('the PSBT is not base64')
  if (!equalBytes(bytes.subarray(0, MAGIC.length), MAGIC))
    throw malformed('the bytes are not a PSBT: they do not begin with "psbt" and 0xff')
  const version = versionOf(bytes)
  if (version !== 0) throw malformed(`the PSBT has version ${version}, expected version 0 (BIP-174)`)
  return bytes
}

/** Decodes a version 0 PSBT. Throws `psbt-malformed`. */
export function decodePsbt(base64: string): DecodedPsbt {
  const bytes = psbtBytesOf(base64)
  try {
    return RawPSBTV0.decode(bytes)
  } catch {
    throw malformed('the PSBT has a truncated, repeated or invalid field')
  }
}

const MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff)
/** Type of the global version field (BIP-370). */
const GLOBAL_VERSION = 0xfb

/** Returns the version of a PSBT, or 0 if missing or malformed. */
function versionOf(bytes: Uint8Array): number {
  const reader = new Reader(bytes)
  reader.at = MAGIC.length
  try {
    for (let key = reader.varBytes(); key.length > 0; key = reader.varBytes()) {
      const value = reader.varBytes()
      if (key[0] === GLOBAL_VERSION && key.length === 1) return new Reader(value).uint32()
    }
  } catch {
    // `decodePsbt` reports the error.
  }
  return 0
}

const malformed = (reason: string) => new BitcoinError('psbt-malformed', reason)

export function unsignedTransactionOf(psbt: string | DecodedPsbt): Tx {
  const { unsignedTx } = (typeof psbt === 'string' ? decodePsbt(psbt) : psbt).global
  if (!unsignedTx) throw malformed('the PSBT has no unsigned transaction')
  return fromScure(unsignedTx as ScureTx)
}

/** Returns the txid after signing, which commits to the redeem scripts of nested segwit inputs. Throws `psbt-malformed`. */
export function signedTxidOf(base64: string): string {
  const psbt = decodePsbt(base64)
  const tx = unsignedTransactionOf(psbt)
  for (const [index, { redeemScript }] of psbt.inputs.entries())
    if (redeemScript)
      tx.inputs[index]!.scriptSig = concatBytes(Uint8Array.of(redeemScript.length), redeemScript)
  return txidOf(tx)
}

/** Returns the full previous transactions of all inputs. Throws `psbt-malformed`. */
export function previousTransactionsOf(base64: string): (Tx | null)[] {
  return decodePsbt(base64).inputs.map(({ nonWitnessUtxo }) =>
    nonWitnessUtxo ? fromScure(nonWitnessUtxo as ScureTx) : null,
  )
}

/** Returns the spent outputs, as stated in the PSBT. Throws `psbt-malformed` if one is missing. */
export function spentOutputsOf(base64: string): { valueSats: number; script: Uint8Array }[] {
  return decodePsbt(base64).inputs.map(({ witnessUtxo }, index) => {
    if (!witnessUtxo) throw malformed(`input ${index} has no witness UTXO`)
    return { valueSats: Number(witnessUtxo.amount), script: witnessUtxo.script }
  })
}

/** Returns the sighash types of all inputs. Throws `psbt-malformed`. */
export function sighashesOf(base64: string): (number | null)[] {
  return decodePsbt(base64).inputs.map((input) => input.sighashType ?? null)
}

/** Returns every input's first taproot leaf, without its version. */
export function leafScriptsOf(base64: string): (Uint8Array | undefined)[] {
  return decodePsbt(base64).inputs.map((input) => input.tapLeafScript?.[0]?.[1].slice(0, -1))
}

/**
 * Extracts the requested signatures from a signed PSBT, by input index. Verifies each signature and runs the input's script. Rejects the
 * PSBT if an escrow input has a signature for anything but the sale leaf, because anyone with the PSBT could spend the coin. Throws
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

/** Like `signaturesFrom`, with a step per signature. */
export function* signaturesInSteps(
  base64: string,
  layout: Layout,
  request: SigningRequest,
): Steps<Map<number, Uint8Array>> {
  const psbt = decodePsbt(base64)
  yield
  const expected = unsignedOf(layout)
  const signed = unsignedTransactionOf(psbt)
  if (
    !equalBytes(encodeTransaction(signed, 'without-witness'), encodeTransaction(expected, 'without-witness'))
  )
    throw new BitcoinError('transaction-changed', 'the signed transaction differs from the prepared one')
  for (const [index, { spend }] of layout.inputs.entries())
    if (spend.by === 'escrow') assertNoEscrowLeak(psbt.inputs[index]!, spend, index)
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

/** Throws if the PSBT lets others spend an escrow coin without the market. */
function assertNoEscrowLeak(input: RawInput, { leafHash }: Leaf, index: number): void {
  const leaked = input.tapKeySig
    ? (['escrow-key-path-signed', 'signed the key path'] as const)
    : input.tapScriptSig?.some(([at]) => !equalBytes(at.leafHash, leafHash))
      ? (['escrow-other-leaf-signed', 'signed another leaf'] as const)
      : input.finalScriptWitness || input.finalScriptSig
        ? (['escrow-finalised', 'finalized the input'] as const)
        : null
  if (!leaked) return
  const [code, what] = leaked
  throw new BitcoinError(
    code,
    `the wallet ${what} of the escrow coin (input ${index}). The signed PSBT was discarded: do not share it. Use a wallet that does not contain the escrow's descriptor, sign only the leaf in the PSBT, and do not finalize it`,
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
    const finalized = spend.by === 'exit' && final?.length === 3 && equalBytes(final[1]!, spend.leaf)
    return signature ?? (finalized ? final[0] : undefined)
  }
  if (spend.kind === 'p2tr') return input.tapKeySig ?? (final?.length === 1 ? final[0] : undefined)
  const partial = input.partialSig?.find(([key]) => equalBytes(key, spend.publicKey))?.[1]
  return partial ?? (final?.length === 2 && equalBytes(final[1]!, spend.publicKey) ? final[0] : undefined)
}

/**
 * Verifies a witness signature. A null `sighash` means the wallet's default, and also allows ALL for taproot. Throws `wrong-sighash` or
 * `signature-invalid`.
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

/** Returns the sighash type of a signature. Throws `wrong-sighash` or `signature-invalid`. */
function assertSighash(signature: Uint8Array, layout: Layout, index: number, sighash: number | null): number {
  const { spend } = layout.inputs[index]!
  const taproot = spend.by !== 'key' || spend.kind === 'p2tr'
  // Reject other lengths (BIP-341). Extra bytes before the sighash byte would not be verified.
  if (taproot && signature.length !== 64 && signature.length !== 65)
    throw invalidSignature(index, `has ${signature.length} bytes, expected 64, or 65 with a sighash byte`)
  const type = taproot && signature.length === 64 ? SIGHASH.DEFAULT : (signature.at(-1) ?? SIGHASH.NONE)
  const allowed =
    sighash !== null ? [sighash] : taproot ? [SIGHASH.DEFAULT, SIGHASH.ALL] : [defaultSighashOf(spend)]
  const explicitDefault = taproot && signature.length === 65 && type === SIGHASH.DEFAULT
  if (!allowed.includes(type) || explicitDefault || (taproot && !isTaprootSighash(type)))
    throw new BitcoinError(
      'wrong-sighash',
      `input ${index} is signed with sighash ${type}, expected ${allowed.join(' or ')}`,
      { index, type },
    )
  return type
}
