import { joinBytes } from './bytes.ts'
import { ScriptReader } from './script-reader.ts'
import type { Tx } from './transaction.ts'

/** Where a transaction sends runes (ord docs, "Runes specification"). */
interface Runestone {
  /** Whether it may send runes to an output. A cenotaph burns all, so this can be true for one. */
  mayName(vout: number): boolean
  /** Whether it etches or mints. */
  creates: boolean
}

const OP_RETURN = 0x6a
const OP_13 = 0x5d
const TAG = { body: 0n, flags: 2n, mint: 20n, pointer: 22n }
/** Tags that only an etching may have: rune, premine, cap, amount, and the ranges of heights and offsets. */
const OF_ETCHINGS = new Set([4n, 6n, 8n, 10n, 12n, 14n, 16n, 18n])
const ETCHING = 1n
const FLAGS = 7n
const U32 = 2n ** 32n
const U64 = 2n ** 64n

export const isRunestone = (script: Uint8Array): boolean => script[0] === OP_RETURN && script[1] === OP_13

/** Returns the script of a Runestone that moves all runes of a transaction to an output. Throws RangeError above 127. */
export function runestoneTo(vout: number): Uint8Array {
  if (!(Number.isInteger(vout) && vout >= 0 && vout < 128))
    throw new RangeError(`a runestone of one byte cannot point to output ${vout}`)
  return Uint8Array.of(OP_RETURN, OP_13, 2, Number(TAG.pointer), vout)
}

const isOpReturn = (script: Uint8Array): boolean => script[0] === OP_RETURN

/** Returns the output that gets runes without another destination; -1 if all are OP_RETURN. */
const defaultOf = ({ outputs }: Tx) => outputs.findIndex(({ script }) => !isOpReturn(script))

/**
 * Returns where a transaction sends the runes of its inputs. `cenotaph` if the Runestone is malformed; some malformed etchings are read as
 * well-formed. Without a Runestone they go to the first output that is not OP_RETURN.
 */
export function readRunestone(tx: Tx): Runestone | 'cenotaph' {
  const fallback = defaultOf(tx)
  const payload = payloadOf(tx)
  if (payload === null) return { mayName: (vout) => vout === fallback, creates: false }
  const integers = payload && integersOf(payload)
  const message = integers && messageOf(integers, tx.outputs.length)
  if (!message) return 'cenotaph'
  const { fields, named } = message
  const takeOne = (tag: bigint) => {
    const value = fields.get(tag)?.shift()
    if (fields.get(tag)?.length === 0) fields.delete(tag)
    return value
  }
  const flags = takeOne(TAG.flags) ?? 0n
  const isEtching = (flags & ETCHING) !== 0n
  if ((isEtching ? flags & ~FLAGS : flags) !== 0n) return 'cenotaph'
  const [block, index] = fields.has(TAG.mint) ? [takeOne(TAG.mint)!, takeOne(TAG.mint)] : []
  if (block !== undefined && (index === undefined || !isRuneId(block, index))) return 'cenotaph'
  const pointer = takeOne(TAG.pointer)
  if (pointer !== undefined && pointer >= BigInt(tx.outputs.length)) return 'cenotaph'
  for (const tag of fields.keys())
    if (tag % 2n === 0n && !(isEtching && OF_ETCHINGS.has(tag))) return 'cenotaph'
  named.add(pointer === undefined ? fallback : Number(pointer))
  // An edict whose output is the number of outputs divides runes among all of them.
  const isForAll = named.has(tx.outputs.length)
  return { mayName: (vout) => isForAll || named.has(vout), creates: isEtching || block !== undefined }
}

const isRuneId = (block: bigint, index: bigint) => block < U64 && index < U32 && (block > 0n || index === 0n)

/** Returns the data of the first output that begins with OP_RETURN OP_13: null without one, undefined if it has other opcodes. */
function payloadOf({ outputs }: Tx): Uint8Array | null | undefined {
  for (const { script } of outputs) {
    if (!isRunestone(script)) continue
    const reader = new ScriptReader(script.subarray(2))
    const parts: Uint8Array[] = []
    while (reader.next()) {
      if (!reader.isPush) return undefined
      parts.push(reader.script.subarray(reader.from, reader.to))
    }
    return reader.at === reader.script.length ? joinBytes(parts) : undefined
  }
  return null
}

/** Decodes LEB128 integers of at most 128 bits; null if one is too long or cut. */
function integersOf(bytes: Uint8Array): bigint[] | null {
  const integers: bigint[] = []
  let value = 0n
  let length = 0
  for (const byte of bytes) {
    if (length > 18 || (length === 18 && (byte & 0x7c) !== 0)) return null
    value |= BigInt(byte & 0x7f) << BigInt(7 * length++)
    if (byte & 0x80) continue
    integers.push(value)
    value = 0n
    length = 0
  }
  return length === 0 ? integers : null
}

interface Message {
  fields: Map<bigint, bigint[]>
  /** Outputs of edicts. */
  named: Set<number>
}

/** Returns null for fields without a value and for malformed edicts. */
function messageOf(integers: readonly bigint[], outputs: number): Message | null {
  const fields: Message['fields'] = new Map()
  for (let at = 0; at < integers.length; at += 2) {
    const tag = integers[at]!
    if (tag === TAG.body) {
      const named = edictOutputs(integers.slice(at + 1), outputs)
      return named && { fields, named }
    }
    const value = integers[at + 1]
    if (value === undefined) return null
    const values = fields.get(tag)
    if (values) values.push(value)
    else fields.set(tag, [value])
  }
  return { fields, named: new Set() }
}

/** Returns the outputs of edicts, each of four integers: difference of block, difference of index or index, amount, output. */
function edictOutputs(integers: readonly bigint[], outputs: number): Set<number> | null {
  const named = new Set<number>()
  let [block, index] = [0n, 0n]
  for (let at = 0; at < integers.length; at += 4) {
    const [blocks, indexes, , output] = integers.slice(at, at + 4)
    if (output === undefined) return null
    index = blocks === 0n ? index + indexes! : indexes!
    block += blocks!
    if (!isRuneId(block, index) || output > BigInt(outputs)) return null
    named.add(Number(output))
  }
  return named
}
