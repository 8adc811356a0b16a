import { bytesToHex, compactSize, joinBytes, littleEndian, varBytes } from './bytes.ts'
import { Column } from './column.ts'
import { BitcoinError } from './errors.ts'
import { sha256d } from './keys.ts'
import type { Outpoint } from './outpoint.ts'
import { Reader } from './reader.ts'
import { type Tx, type TxOutput, txidOf } from './transaction.ts'

/** A lazily decoded transaction of a block (BIP-144). Indexers need few transactions of a block. */
export interface BlockTransaction {
  /** Hex, display order. */
  readonly txid: string
  readonly tx: Tx
  readonly outpoints: readonly Outpoint[]
  readonly outputs: readonly TxOutput[]
  /** Spent outputs, one per input. Empty for the coinbase. */
  readonly prevouts: readonly TxOutput[]
  readonly feeSats: number
  /** False if no witness contains an inscription. */
  readonly mayInscribe: boolean
  /** Returns true if `keys` has the key (`keyOfTxid`) of a spent txid. Can return false positives. */
  spendsOf(keys: { has(key: number): boolean }): boolean
}

/** Returns the first 48 bits of a txid. */
export function keyOfTxid(txid: string): number {
  return Number.parseInt(txid.slice(0, 12), 16)
}

export function blockTransactionOf(tx: Tx, prevouts: readonly TxOutput[]): BlockTransaction {
  let feeSats = 0
  for (const { valueSats } of prevouts) feeSats += valueSats
  if (prevouts.length > 0) for (const { valueSats } of tx.outputs) feeSats -= valueSats
  return {
    get txid() {
      return txidOf(tx)
    },
    tx,
    outpoints: tx.inputs,
    outputs: tx.outputs,
    prevouts,
    feeSats,
    mayInscribe: true,
    spendsOf: (keys) => tx.inputs.some((input) => keys.has(keyOfTxid(input.txid))),
  }
}

export interface RawBlock {
  /** Hex, display order. */
  hash: string
  previousHash: string
  /** Unix seconds. */
  time: number
  /** The serialized block. */
  bytes: Uint8Array
  /** Serialized spent outputs. */
  spent: Uint8Array
  layout: BlockLayout
  transactions: RawTransaction[]
  /** Number of occurrences of "ord" in witnesses, an upper bound for inscriptions. */
  protocolMarks: number
}

/** A parsed block as typed arrays, which a thread can transfer to another. Offsets are into `bytes` and `spent`. */
export interface BlockLayout {
  readonly bytes: Uint8Array
  readonly spent: Uint8Array
  /** By transaction: its start, its first input and its first output. One more element is the end of the last transaction. */
  readonly at: Uint32Array
  readonly firstInput: Uint32Array
  readonly firstOutput: Uint32Array
  /** By transaction: start of its witnesses, or 0. */
  readonly witnessAt: Uint32Array
  /** By transaction: number of occurrences of "ord" in its witnesses. */
  readonly marks: Uint32Array
  readonly feeSats: Float64Array
  /** By input of the block. */
  readonly inputAt: Uint32Array
  readonly prevoutAt: Uint32Array
  /** By output of the block. */
  readonly outputAt: Uint32Array
  /** The txids in serialization order, if they are known. */
  hashes: Uint8Array | null
}

function readEach<T>(bytes: Uint8Array, places: Uint32Array, read: (reader: Reader) => T): T[] {
  const reader = new Reader(bytes)
  const found: T[] = new Array(places.length)
  for (const [i, at] of places.entries()) {
    reader.at = at
    found[i] = read(reader)
  }
  return found
}

export class RawTransaction implements BlockTransaction {
  private readonly layout: BlockLayout
  /** Its position in the block. */
  private readonly index: number
  private knownTxid: string | null = null
  private knownHash: Uint8Array | null = null
  private knownTx: Tx | null = null
  private knownPrevouts: TxOutput[] | null = null

  constructor(layout: BlockLayout, index: number) {
    this.layout = layout
    this.index = index
  }

  get feeSats(): number {
    return this.layout.feeSats[this.index]!
  }

  get mayInscribe(): boolean {
    return this.layout.marks[this.index]! > 0
  }

  get txid(): string {
    // The slice of a Buffer would share its memory.
    this.knownTxid ??= bytesToHex(new Uint8Array(this.hash).reverse())
    return this.knownTxid
  }

  /** The txid in serialization order. */
  get hash(): Uint8Array {
    const { hashes } = this.layout
    if (hashes) return hashes.subarray(32 * this.index, 32 * this.index + 32)
    this.knownHash ??= sha256d(this.withoutWitness(new Uint8Array(this.bytes.length)))
    return this.knownHash
  }

  /** Writes the bytes that the txid commits to, and returns the written part of `target`. */
  withoutWitness(target: Uint8Array): Uint8Array {
    const { bytes, at, witnessAt } = this.layout
    const [start, witnesses, end] = [at[this.index]!, witnessAt[this.index]!, at[this.index + 1]!]
    if (witnesses === 0) return bytes.subarray(start, end)
    target.set(bytes.subarray(start, start + 4))
    target.set(bytes.subarray(start + 6, witnesses), 4)
    const length = witnesses - start - 2
    target.set(bytes.subarray(end - 4, end), length)
    return target.subarray(0, length + 4)
  }

  get hasWitness(): boolean {
    return this.layout.witnessAt[this.index]! > 0
  }

  get tx(): Tx {
    this.knownTx ??= this.decode()
    return this.knownTx
  }

  get outpoints(): readonly Outpoint[] {
    const { bytes, inputAt } = this.layout
    return readEach(bytes, this.ofInputs(inputAt), (reader) => reader.outpoint())
  }

  get outputs(): readonly TxOutput[] {
    const { bytes, outputAt, firstOutput } = this.layout
    const places = outputAt.subarray(firstOutput[this.index], firstOutput[this.index + 1])
    return readEach(bytes, places, (reader) => reader.output())
  }

  get prevouts(): readonly TxOutput[] {
    this.knownPrevouts ??= this.decodePrevouts()
    return this.knownPrevouts
  }

  get bytes(): Uint8Array {
    const { bytes, at } = this.layout
    return bytes.subarray(at[this.index], at[this.index + 1])
  }

  spendsOf(keys: { has(key: number): boolean }): boolean {
    const { bytes, inputAt, firstInput } = this.layout
    const end = firstInput[this.index + 1]!
    for (let i = firstInput[this.index]!; i < end; i++) if (keys.has(keyAt(bytes, inputAt[i]!))) return true
    return false
  }

  /** Visits the spent outpoints: the serialized outpoint at `at`, the key (`keyOfTxid`) of its txid, and its output index. */
  forEachSpent(visit: (bytes: Uint8Array, at: number, key: number, vout: number) => void): void {
    const { bytes, inputAt, firstInput } = this.layout
    const end = firstInput[this.index + 1]!
    for (let i = firstInput[this.index]!; i < end; i++) {
      const at = inputAt[i]!
      visit(bytes, at, keyAt(bytes, at), uintAt(bytes, at + 32, 4))
    }
  }

  /** Visits the spent outputs: the serialized outpoint at `at`, and its value. The coinbase spends none. */
  forEachCoin(visit: (bytes: Uint8Array, at: number, valueSats: number) => void): void {
    const { bytes, spent, inputAt, prevoutAt, firstInput } = this.layout
    const end = firstInput[this.index + 1]!
    for (let i = firstInput[this.index]!; i < end; i++)
      if (prevoutAt[i] !== NO_PREVOUT) visit(bytes, inputAt[i]!, uintAt(spent, prevoutAt[i]!, 8))
  }

  /** Visits the values of the outputs. */
  forEachValue(visit: (valueSats: number) => void): void {
    const { bytes, outputAt, firstOutput } = this.layout
    const end = firstOutput[this.index + 1]!
    for (let i = firstOutput[this.index]!; i < end; i++) visit(uintAt(bytes, outputAt[i]!, 8))
  }

  private ofInputs(places: Uint32Array): Uint32Array {
    const { firstInput } = this.layout
    return places.subarray(firstInput[this.index], firstInput[this.index + 1])
  }

  private decode(): Tx {
    const { bytes, inputAt, witnessAt, at } = this.layout
    const inputs = readEach(bytes, this.ofInputs(inputAt), (reader): Tx['inputs'][number] => {
      const { txid, vout } = reader.outpoint()
      const scriptSig = reader.varBytes().slice()
      return { txid, vout, scriptSig, sequence: reader.uint32(), witness: [] }
    })
    const reader = new Reader(bytes)
    if (this.hasWitness) {
      reader.at = witnessAt[this.index]!
      for (const input of inputs)
        for (let items = reader.compactSize(); items > 0; items--)
          input.witness.push(reader.varBytes().slice())
    }
    reader.at = at[this.index]!
    const version = reader.uint32() | 0
    reader.at = at[this.index + 1]! - 4
    return { version, inputs, outputs: [...this.outputs], locktime: reader.uint32() }
  }

  private decodePrevouts(): TxOutput[] {
    const { spent, prevoutAt, firstInput } = this.layout
    if (prevoutAt[firstInput[this.index]!] === NO_PREVOUT) return []
    return readEach(spent, this.ofInputs(prevoutAt), (reader) => reader.output())
  }
}

/** Reads a key. Txids are serialized in reverse byte order. */
function keyAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at + 31]! * 256 + bytes[at + 30]!) * 0x1_0000_0000 +
    (((bytes[at + 29]! << 24) | (bytes[at + 28]! << 16) | (bytes[at + 27]! << 8) | bytes[at + 26]!) >>> 0)
  )
}

/** Reads a little-endian integer, which the parser has checked. */
function uintAt(bytes: Uint8Array, at: number, length: number): number {
  let value = 0
  for (let i = at + length - 1; i >= at; i--) value = value * 256 + bytes[i]!
  return value
}

/** Offset of coinbase inputs, and of all inputs without spent outputs. */
const NO_PREVOUT = 0xffffffff

/** The letters of "ord", which every envelope contains (ord handbook, "Inscriptions"). */
const [O, R, D] = [0x6f, 0x72, 0x64]

/** Counts "ord". Looks at every third byte, and steps back from the second or third letter. */
function countProtocol(bytes: Uint8Array, from: number, to: number): number {
  let count = 0
  for (let at = from + 2; at < to; ) {
    const byte = bytes[at]
    if (byte === D) {
      if (bytes[at - 1] === R && bytes[at - 2] === O) count++
      at += 3
    } else at += byte === R ? 1 : byte === O ? 2 : 3
  }
  return count
}

/**
 * Parses a block. `spent` has its spent outputs in the format of Core's `spenttxouts` or `encodeSpent`. If null, prevouts and fees are
 * unavailable. Throws `block-malformed`.
 */
export function readBlock(bytes: Uint8Array, spent: Uint8Array | null): RawBlock {
  try {
    return read(bytes, spent)
  } catch (cause) {
    if (cause instanceof BitcoinError) throw cause
    const reason = cause instanceof Error ? cause.message : 'unknown'
    throw new BitcoinError('block-malformed', `not a block: ${reason}`)
  }
}

function read(bytes: Uint8Array, spent: Uint8Array | null): RawBlock {
  const block = new Reader(bytes)
  const coins = spent && new Reader(spent)
  block.at = 80
  const count = block.compactSize()
  if (coins && coins.compactSize() !== count)
    throw new BitcoinError('block-malformed', `spent outputs do not match a block of ${count} transactions`)
  // Every transaction takes more than a byte, so that the arrays are not larger than the block.
  if (count > bytes.length) throw new RangeError('unexpected end of input')
  const [at, firstInput, firstOutput] = [columnOf(count + 1), columnOf(count + 1), columnOf(count + 1)]
  const [witnessAt, marks, feeSats] = [columnOf(count), columnOf(count), new Float64Array(count)]
  const [inputAt, prevoutAt, outputAt] = [new Column(), new Column(), new Column()]
  for (let n = 0; n < count; n++) {
    at[n] = block.at
    firstInput[n] = inputAt.length
    firstOutput[n] = outputAt.length
    block.at += 4
    const segwit = bytes[block.at] === 0 && bytes[block.at + 1] === 1
    if (segwit) block.at += 2
    const inputCount = block.compactSize()
    const spentCount = coins?.compactSize()
    if (coins && spentCount !== (n === 0 ? 0 : inputCount))
      throw new BitcoinError(
        'block-malformed',
        `transaction ${n} has ${inputCount} inputs and ${spentCount} spent outputs`,
      )
    let fee = 0
    for (let i = 0; i < inputCount; i++) {
      inputAt.push(block.at)
      prevoutAt.push(n > 0 && coins ? coins.at : NO_PREVOUT)
      block.at += 36
      const scriptLength = block.compactSize()
      block.at += scriptLength + 4
      if (n === 0 || !coins) continue
      fee += coins.sats()
      const spentLength = coins.compactSize()
      coins.at += spentLength
    }
    const outputCount = block.compactSize()
    for (let i = 0; i < outputCount; i++) {
      outputAt.push(block.at)
      const valueSats = block.sats()
      if (n > 0 && coins) fee -= valueSats
      const scriptLength = block.compactSize()
      block.at += scriptLength
    }
    if (segwit) {
      witnessAt[n] = block.at
      for (let i = 0; i < inputCount; i++)
        for (let items = block.compactSize(); items > 0; items--) {
          const length = block.compactSize()
          block.at += length
        }
      if (n > 0) marks[n] = countProtocol(bytes, witnessAt[n]!, block.at)
    }
    feeSats[n] = fee
    block.at += 4
    if (block.at > bytes.length) throw new RangeError('unexpected end of input')
  }
  at[count] = block.at
  firstInput[count] = inputAt.length
  firstOutput[count] = outputAt.length
  if (block.at !== bytes.length || (coins && coins.at !== coins.bytes.length))
    throw new BitcoinError('block-malformed', 'unexpected bytes after the block')
  return blockOf({
    bytes,
    spent: spent ?? new Uint8Array(),
    at,
    firstInput,
    firstOutput,
    witnessAt,
    marks,
    feeSats,
    inputAt: inputAt.take(),
    prevoutAt: prevoutAt.take(),
    outputAt: outputAt.take(),
    hashes: null,
  })
}

const columnOf = (length: number) => new Uint32Array(length)

/** Returns a parsed block. */
export function blockOf(layout: BlockLayout): RawBlock {
  const { bytes, spent, marks } = layout
  const reader = new Reader(bytes)
  reader.at = 68
  return {
    hash: bytesToHex(sha256d(bytes.subarray(0, 80)).reverse()),
    previousHash: bytesToHex(bytes.slice(4, 36).reverse()),
    time: reader.uint32(),
    bytes,
    spent,
    layout,
    transactions: Array.from({ length: marks.length }, (_, index) => new RawTransaction(layout, index)),
    protocolMarks: marks.reduce((sum, count) => sum + count, 0),
  }
}

/** Serializes the spent outputs of a block in Core's format. */
export function encodeSpent(transactions: readonly (readonly TxOutput[])[]): Uint8Array {
  const parts = [compactSize(transactions.length)]
  for (const outputs of transactions) {
    parts.push(compactSize(outputs.length))
    for (const { valueSats, script } of outputs) parts.push(littleEndian(valueSats, 8), varBytes(script))
  }
  return joinBytes(parts)
}
