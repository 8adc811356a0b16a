import { bytesToHex, compactSize, concatBytes, joinBytes, littleEndian, varBytes } from './bytes.ts'
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
  transactions: RawTransaction[]
  /** Number of occurrences of "ord" in witnesses, an upper bound for inscriptions. */
  protocolMarks: number
}

/** Offsets into a block. */
class Layout {
  readonly bytes: Uint8Array
  readonly spent: Uint8Array
  /** By input of the block. */
  inputAt: Uint32Array
  prevoutAt: Uint32Array
  /** By output of the block. */
  outputAt: Uint32Array
  inputs = 0
  outputs = 0

  constructor(bytes: Uint8Array, spent: Uint8Array) {
    this.bytes = bytes
    this.spent = spent
    this.inputAt = new Uint32Array(1024)
    this.prevoutAt = new Uint32Array(1024)
    this.outputAt = new Uint32Array(1024)
  }

  addInput(at: number, prevoutAt: number): void {
    if (this.inputs === this.inputAt.length) {
      this.inputAt = grown(this.inputAt)
      this.prevoutAt = grown(this.prevoutAt)
    }
    this.inputAt[this.inputs] = at
    this.prevoutAt[this.inputs++] = prevoutAt
  }

  addOutput(at: number): void {
    if (this.outputs === this.outputAt.length) this.outputAt = grown(this.outputAt)
    this.outputAt[this.outputs++] = at
  }
}

function grown(array: Uint32Array): Uint32Array {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
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
  readonly feeSats: number
  readonly mayInscribe: boolean
  private readonly layout: Layout
  private readonly at: number
  private readonly end: number
  /** Start of the witnesses, or 0. */
  private readonly witnessAt: number
  private readonly firstInput: number
  private readonly inputCount: number
  private readonly firstOutput: number
  private readonly outputCount: number
  private knownTxid: string | null = null
  private knownHash: Uint8Array | null = null
  private knownTx: Tx | null = null
  private knownPrevouts: TxOutput[] | null = null

  constructor(
    layout: Layout,
    place: {
      at: number
      end: number
      witnessAt: number
      firstInput: number
      inputCount: number
      firstOutput: number
      outputCount: number
      feeSats: number
      mayInscribe: boolean
    },
  ) {
    this.layout = layout
    this.at = place.at
    this.end = place.end
    this.witnessAt = place.witnessAt
    this.firstInput = place.firstInput
    this.inputCount = place.inputCount
    this.firstOutput = place.firstOutput
    this.outputCount = place.outputCount
    this.feeSats = place.feeSats
    this.mayInscribe = place.mayInscribe
  }

  get txid(): string {
    // The slice of a Buffer would share its memory.
    this.knownTxid ??= bytesToHex(new Uint8Array(this.hash).reverse())
    return this.knownTxid
  }

  /** The txid in serialization order. */
  get hash(): Uint8Array {
    this.knownHash ??= sha256d(this.withoutWitness)
    return this.knownHash
  }

  /** The bytes that the txid commits to. */
  get withoutWitness(): Uint8Array {
    const { bytes } = this.layout
    const { at, end, witnessAt } = this
    return witnessAt === 0
      ? bytes.subarray(at, end)
      : concatBytes(
          bytes.subarray(at, at + 4),
          bytes.subarray(at + 6, witnessAt),
          bytes.subarray(end - 4, end),
        )
  }

  get hasWitness(): boolean {
    return this.witnessAt > 0
  }

  /** Sets the double SHA-256 of `withoutWitness`, so that it is not computed again. */
  setHash(hash: Uint8Array): void {
    this.knownHash = hash
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
    const { bytes, outputAt } = this.layout
    const places = outputAt.subarray(this.firstOutput, this.firstOutput + this.outputCount)
    return readEach(bytes, places, (reader) => reader.output())
  }

  get prevouts(): readonly TxOutput[] {
    this.knownPrevouts ??= this.decodePrevouts()
    return this.knownPrevouts
  }

  get bytes(): Uint8Array {
    return this.layout.bytes.subarray(this.at, this.end)
  }

  spendsOf(keys: { has(key: number): boolean }): boolean {
    for (let i = this.firstInput; i < this.firstInput + this.inputCount; i++)
      if (keys.has(this.keyAt(this.layout.inputAt[i]!))) return true
    return false
  }

  /** Visits the key (`keyOfTxid`) and output index of each spent output. */
  forEachSpent(visit: (key: number, vout: number) => void): void {
    const { bytes, inputAt } = this.layout
    for (const at of this.ofInputs(inputAt)) visit(this.keyAt(at), uintAt(bytes, at + 32, 4))
  }

  /** Visits the spent outputs: the serialized outpoint at `at`, and its value. The coinbase spends none. */
  forEachCoin(visit: (bytes: Uint8Array, at: number, valueSats: number) => void): void {
    const { bytes, spent, inputAt, prevoutAt } = this.layout
    for (let i = this.firstInput; i < this.firstInput + this.inputCount; i++)
      if (prevoutAt[i] !== NO_PREVOUT) visit(bytes, inputAt[i]!, uintAt(spent, prevoutAt[i]!, 8))
  }

  /** Visits the values of the outputs. */
  forEachValue(visit: (valueSats: number) => void): void {
    const { bytes, outputAt } = this.layout
    for (let i = this.firstOutput; i < this.firstOutput + this.outputCount; i++)
      visit(uintAt(bytes, outputAt[i]!, 8))
  }

  /** Reads a key. Txids are serialized in reverse byte order. */
  private keyAt(at: number): number {
    const { bytes } = this.layout
    return (
      (bytes[at + 31]! * 256 + bytes[at + 30]!) * 0x1_0000_0000 +
      (((bytes[at + 29]! << 24) | (bytes[at + 28]! << 16) | (bytes[at + 27]! << 8) | bytes[at + 26]!) >>> 0)
    )
  }

  private ofInputs(places: Uint32Array): Uint32Array {
    return places.subarray(this.firstInput, this.firstInput + this.inputCount)
  }

  private decode(): Tx {
    const { bytes, inputAt } = this.layout
    const inputs = readEach(bytes, this.ofInputs(inputAt), (reader): Tx['inputs'][number] => {
      const { txid, vout } = reader.outpoint()
      const scriptSig = reader.varBytes().slice()
      return { txid, vout, scriptSig, sequence: reader.uint32(), witness: [] }
    })
    const reader = new Reader(bytes)
    if (this.witnessAt > 0) {
      reader.at = this.witnessAt
      for (const input of inputs)
        for (let items = reader.compactSize(); items > 0; items--)
          input.witness.push(reader.varBytes().slice())
    }
    reader.at = this.at
    const version = reader.uint32() | 0
    reader.at = this.end - 4
    return { version, inputs, outputs: [...this.outputs], locktime: reader.uint32() }
  }

  private decodePrevouts(): TxOutput[] {
    const { spent, prevoutAt } = this.layout
    if (prevoutAt[this.firstInput] === NO_PREVOUT) return []
    return readEach(spent, this.ofInputs(prevoutAt), (reader) => reader.output())
  }
}

/** Reads a little-endian integer, which the parser has checked. */
function uintAt(bytes: Uint8Array, at: number, length: number): number {
  let value = 0
  for (let i = at + length - 1; i >= at; i--) value = value * 256 + bytes[i]!
  return value
}

/** Offset of coinbase inputs, and of all inputs without spent outputs. */
const NO_PREVOUT = 0xffffffff

/** "ord", in every envelope (ord handbook, "Inscriptions"). */
const ORD = [0x6f, 0x72, 0x64]

function countProtocol(bytes: Uint8Array, from: number, to: number): number {
  let count = 0
  for (let at = bytes.indexOf(ORD[0]!, from); at !== -1 && at + 2 < to; at = bytes.indexOf(ORD[0]!, at + 1))
    if (bytes[at + 1] === ORD[1] && bytes[at + 2] === ORD[2]) count++
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
  const layout = new Layout(bytes, spent ?? new Uint8Array())
  const block = new Reader(bytes)
  const coins = spent && new Reader(spent)
  block.at = 68
  const time = block.uint32()
  block.at = 80
  const count = block.compactSize()
  if (coins && coins.compactSize() !== count)
    throw new BitcoinError('block-malformed', `spent outputs do not match a block of ${count} transactions`)
  const transactions: RawTransaction[] = new Array(count)
  let protocolMarks = 0
  for (let n = 0; n < count; n++) {
    const at = block.at
    const { inputs: firstInput, outputs: firstOutput } = layout
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
    let feeSats = 0
    for (let i = 0; i < inputCount; i++) {
      layout.addInput(block.at, n > 0 && coins ? coins.at : NO_PREVOUT)
      block.at += 36
      const scriptLength = block.compactSize()
      block.at += scriptLength + 4
      if (n === 0 || !coins) continue
      feeSats += coins.sats()
      const spentLength = coins.compactSize()
      coins.at += spentLength
    }
    const outputCount = block.compactSize()
    for (let i = 0; i < outputCount; i++) {
      layout.addOutput(block.at)
      const valueSats = block.sats()
      if (n > 0 && coins) feeSats -= valueSats
      const scriptLength = block.compactSize()
      block.at += scriptLength
    }
    const witnessAt = segwit ? block.at : 0
    if (segwit)
      for (let i = 0; i < inputCount; i++)
        for (let items = block.compactSize(); items > 0; items--) {
          const length = block.compactSize()
          block.at += length
        }
    const marks = segwit && n > 0 ? countProtocol(bytes, witnessAt, block.at) : 0
    protocolMarks += marks
    block.at += 4
    if (block.at > bytes.length) throw new RangeError('unexpected end of input')
    transactions[n] = new RawTransaction(layout, {
      at,
      end: block.at,
      witnessAt,
      firstInput,
      inputCount,
      firstOutput,
      outputCount,
      feeSats,
      mayInscribe: marks > 0,
    })
  }
  if (block.at !== bytes.length || (coins && coins.at !== coins.bytes.length))
    throw new BitcoinError('block-malformed', 'unexpected bytes after the block')
  return {
    hash: bytesToHex(sha256d(bytes.subarray(0, 80)).reverse()),
    previousHash: bytesToHex(bytes.slice(4, 36).reverse()),
    time,
    bytes,
    spent: layout.spent,
    transactions,
    protocolMarks,
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
