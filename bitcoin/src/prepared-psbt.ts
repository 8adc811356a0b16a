import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import { kindOfScript, p2shScript } from './address.ts'
import { base64OfBytes, concatBytes, equalBytes } from './bytes.ts'
import { BitcoinError } from './errors.ts'
import { taprootOutputKey } from './keys.ts'
import { type DecodedPsbt, decodePsbt, psbtBytesOf, psbtOf, type SigningRequest } from './psbt.ts'
import { Reader } from './reader.ts'
import { defaultSighashOf, type Layout, type Spend, transactionOf } from './trade/layout.ts'
import { encodeTransaction, fromScure, type ScureTx, type Tx, type TxOutput, txidOf } from './transaction.ts'

/** A parsed unsigned PSBT. */
export interface PreparedPsbt {
  tx: Tx
  inputs: PreparedInput[]
}

interface PreparedInput {
  /** The spent output, as stated in the PSBT. */
  spent: TxOutput
  /** The full previous transaction, which proves `spent`. */
  previous: Tx | null
  redeemScript: Uint8Array | null
  /** The coin's untweaked key. */
  internalKey: Uint8Array | null
  /** The taproot leaf to sign, without its version. */
  leaf: { script: Uint8Array; controlBlock: Uint8Array } | null
}

type Input = DecodedPsbt['inputs'][number]

/** Allowed input fields. Other fields could change what a wallet signs. */
const INPUT_FIELDS = new Set([
  'witnessUtxo',
  'nonWitnessUtxo',
  'sighashType',
  'redeemScript',
  'tapInternalKey',
  'tapLeafScript',
  'tapBip32Derivation',
])

/** Maximum number of inputs plus outputs. The codec takes quadratic time. */
const MAX_PARTS = 1500

const MAGIC_LENGTH = 5
/** Type of the global field with the transaction (BIP-174). */
const UNSIGNED_TX = 0x00
const [VERSION_LENGTH, OUTPOINT_LENGTH, SEQUENCE_LENGTH] = [4, 36, 4]

/**
 * Parses an unsigned PSBT. Throws `psbt-malformed` if it has signatures, unknown input fields, a wrong previous transaction or a
 * non-canonical encoding.
 */
export function readPreparedPsbt(base64: string): PreparedPsbt {
  const bytes = psbtBytesOf(base64)
  assertFewParts(bytes)
  const psbt = decodePsbt(base64)
  if (!equalBytes(RawPSBTV0.encode(psbt), bytes))
    throw malformed('the PSBT has repeated or unordered entries')
  const tx = fromScure(psbt.global.unsignedTx as ScureTx)
  if (fieldsOf(psbt.global).some((field) => field !== 'unsignedTx' && field !== 'version'))
    throw malformed('the PSBT has global fields other than the transaction')
  if (psbt.inputs.length !== tx.inputs.length || psbt.outputs.length !== tx.outputs.length)
    throw malformed('the PSBT has a different number of inputs or outputs than its transaction')
  if (psbt.outputs.some((output) => fieldsOf(output).length > 0))
    throw malformed('the PSBT has output fields other than amount and script')
  return { tx, inputs: psbt.inputs.map((input, index) => readInput(input, tx.inputs[index]!, index)) }
}

/** Throws `psbt-malformed` if a transaction in the global map has too many inputs and outputs, without decoding them. */
function assertFewParts(bytes: Uint8Array): void {
  const reader = new Reader(bytes)
  reader.at = MAGIC_LENGTH
  let most = 0
  try {
    for (let key = reader.varBytes(); key.length > 0; key = reader.varBytes()) {
      const value = reader.varBytes()
      if (key[0] === UNSIGNED_TX) most = Math.max(most, partsOf(new Reader(value)))
    }
  } catch {
    // `decodePsbt` reports the error.
  }
  if (most > MAX_PARTS) throw malformed('the PSBT has more inputs and outputs than any trade')
}

/** Counts the inputs and outputs of a transaction without witness. Does not read them if there are too many inputs. */
function partsOf(reader: Reader): number {
  reader.at = VERSION_LENGTH
  const inputs = reader.compactSize()
  if (inputs > MAX_PARTS) return inputs
  for (let n = 0; n < inputs; n++) {
    reader.at += OUTPOINT_LENGTH
    reader.varBytes()
    reader.at += SEQUENCE_LENGTH
  }
  return inputs + reader.compactSize()
}

function readInput(
  input: Input,
  { txid, vout }: { txid: string; vout: number },
  index: number,
): PreparedInput {
  const stray = fieldsOf(input).find((field) => !INPUT_FIELDS.has(field))
  if (stray) throw malformed(`input ${index} has the unsupported field ${stray}`)
  const { witnessUtxo, nonWitnessUtxo, redeemScript, tapInternalKey, tapLeafScript } = input
  if (!witnessUtxo) throw malformed(`input ${index} has no witness UTXO`)
  const spent = { valueSats: Number(witnessUtxo.amount), script: witnessUtxo.script }
  const previous = nonWitnessUtxo ? fromScure(nonWitnessUtxo as ScureTx) : null
  if (previous) {
    const output = previous.outputs[vout]
    if (txidOf(previous) !== txid || !output || !sameOutput(output, spent))
      throw malformed(
        `the previous transaction of input ${index} did not create the coin that the input spends`,
      )
  }
  if (redeemScript && !equalBytes(p2shScript(redeemScript), spent.script))
    throw malformed(`the redeem script of input ${index} does not match its coin`)
  if (tapInternalKey && !isInternalKeyOf(tapInternalKey, spent.script))
    throw malformed(`the internal key of input ${index} does not match its coin`)
  if (tapLeafScript && tapLeafScript.length !== 1) throw malformed(`input ${index} has more than one leaf`)
  const [entry] = tapLeafScript ?? []
  if (entry && entry[1].at(-1) !== 0xc0)
    throw malformed(`the leaf of input ${index} has an unsupported version`)
  return {
    spent,
    previous,
    redeemScript: redeemScript ?? null,
    internalKey: tapInternalKey ?? null,
    leaf: entry ? { script: entry[1].slice(0, -1), controlBlock: controlBlockOf(entry[0]) } : null,
  }
}

/**
 * Compares a PSBT with the one built from the layout. Allows additional previous transactions, and key fields of inputs that are not
 * signed. Throws `transaction-changed` or `psbt-malformed`.
 */
export function assertPreparedPsbt(base64: string, layout: Layout, request: SigningRequest): PreparedPsbt {
  const read = readPreparedPsbt(base64)
  const expected = transactionOf(layout)
  for (const input of expected.inputs) input.scriptSig = new Uint8Array()
  if (
    !equalBytes(encodeTransaction(read.tx, 'without-witness'), encodeTransaction(expected, 'without-witness'))
  )
    throw new BitcoinError('transaction-changed', 'the transaction differs from the agreed one')
  const psbt = decodePsbt(base64)
  for (const [index, { coin, spend }] of layout.inputs.entries()) {
    const { spent } = read.inputs[index]!
    if (!sameOutput(spent, coin)) throw changed(`input ${index} states a different coin`)
    const isRequested = request.indexes.includes(index)
    const sighash = isRequested ? (request.sighash ?? defaultSighashOf(spend)) : defaultSighashOf(spend)
    const stated = psbt.inputs[index]!.sighashType
    if (isRequested && request.sighash !== undefined ? stated !== sighash : (stated ?? sighash) !== sighash)
      throw changed(`input ${index} requests sighash ${stated ?? 'default'}, expected ${sighash}`)
    assertKeys(psbt.inputs[index]!, spend, { isRequested, index })
  }
  return read
}

/** Requires the agreed leaf and no internal key for an escrow input, and no leaf for other inputs. */
function assertKeys(input: Input, spend: Spend, at: { isRequested: boolean; index: number }): void {
  const { tapLeafScript = [], tapBip32Derivation = [], tapInternalKey, redeemScript } = input
  const { isRequested, index } = at
  if (spend.by === 'escrow' || spend.by === 'exit') {
    const [entry] = tapLeafScript
    if (
      !entry ||
      !equalBytes(entry[1].slice(0, -1), spend.leaf) ||
      !equalBytes(controlBlockOf(entry[0]), spend.controlBlock)
    )
      throw changed(`input ${index} does not have the agreed leaf`)
    if (tapInternalKey) throw changed(`input ${index} has an internal key; a wallet would sign the key path`)
    for (const [key, { hashes }] of tapBip32Derivation)
      if (!equalBytes(key, spend.sellerKey) || hashes.length !== 1 || !equalBytes(hashes[0]!, spend.leafHash))
        throw changed(`input ${index} has a derivation of a different key or leaf`)
    return
  }
  if (tapLeafScript.length > 0 && spend.by === 'key') throw changed(`input ${index} has a leaf`)
  if (tapBip32Derivation.some(([, { hashes }]) => hashes.length > 0))
    throw changed(`input ${index} has a derivation with a leaf`)
  if (!isRequested || spend.by !== 'key') return
  if (tapInternalKey && spend.internalKey && !equalBytes(tapInternalKey, spend.internalKey))
    throw changed(`input ${index} has a different internal key`)
  if (spend.redeemScript && (!redeemScript || !equalBytes(redeemScript, spend.redeemScript)))
    throw changed(`input ${index} has a different redeem script`)
}

/** Builds a PSBT with only the given signatures, by input index. */
export function signedPsbtOf(
  layout: Layout,
  request: SigningRequest,
  signatures: ReadonlyMap<number, Uint8Array>,
  previous?: ReadonlyMap<string, Tx>,
): string {
  const psbt = decodePsbt(psbtOf(layout, request, previous))
  for (const [index, signature] of signatures) {
    const { spend } = layout.inputs[index]!
    if (spend.by === 'bid') throw new TypeError(`input ${index} is signed only by the market's keys`)
    Object.assign(
      psbt.inputs[index]!,
      spend.by !== 'key'
        ? { tapScriptSig: [[{ pubKey: spend.sellerKey, leafHash: spend.leafHash }, signature]] }
        : spend.kind === 'p2tr'
          ? { tapKeySig: signature }
          : { partialSig: [[spend.publicKey, signature]] },
    )
  }
  return base64OfBytes(RawPSBTV0.encode(psbt))
}

const controlBlockOf = (block: { version: number; internalKey: Uint8Array; merklePath: Uint8Array[] }) =>
  concatBytes(Uint8Array.of(block.version), block.internalKey, ...block.merklePath)

const fieldsOf = (map: object): string[] =>
  Object.entries(map).flatMap(([field, value]) =>
    value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [field],
  )

const sameOutput = (one: TxOutput, other: TxOutput) =>
  one.valueSats === other.valueSats && equalBytes(one.script, other.script)

function isInternalKeyOf(key: Uint8Array, script: Uint8Array): boolean {
  try {
    return kindOfScript(script) === 'p2tr' && equalBytes(taprootOutputKey(key).outputKey, script.slice(2))
  } catch {
    return false
  }
}

const malformed = (reason: string) => new BitcoinError('psbt-malformed', reason)
const changed = (reason: string) => new BitcoinError('transaction-changed', reason)
