import { resized } from './ropes.ts'

/** Bytes of a serialized outpoint: txid, and output index. */
export const OUTPOINT_BYTES = 36
const TXID_BYTES = 32
const WORDS = OUTPOINT_BYTES / 4

/**
 * Numbers outpoints from 0 on. A hash table with open addressing and without an object per outpoint. The hash is salted, because senders
 * choose txids.
 */
export class OutpointTable {
  size = 0
  private words = new Uint32Array(WORDS << 12)
  private slots = new Int32Array(2 ** 13)
  private readonly salt = crypto.getRandomValues(new Uint32Array(4))
  private readonly keyBytes = new Uint8Array(OUTPOINT_BYTES)
  private readonly key = new Uint32Array(this.keyBytes.buffer)

  /** Returns the number of the serialized outpoint at `at`, or -1. */
  find(bytes: Uint8Array, at: number): number {
    this.readKey(bytes, at)
    return this.slots[this.slotOf()]! - 1
  }

  /** Returns whether the serialized txid at `at` was added with `addTxid`. */
  hasTxid(bytes: Uint8Array, at: number): boolean {
    this.readKey(bytes, at, TXID_BYTES)
    return this.slots[this.slotOf()] !== 0
  }

  /** Adds the serialized txid at `at`. Use separate tables for txids and outpoints. */
  addTxid(bytes: Uint8Array, at: number): void {
    this.readKey(bytes, at, TXID_BYTES)
    this.addKey()
  }

  /** Returns the number of the serialized outpoint at `at`. Adds it if it is missing. */
  add(bytes: Uint8Array, at: number): number {
    this.readKey(bytes, at)
    return this.addKey()
  }

  private addKey(): number {
    const slot = this.slotOf()
    const known = this.slots[slot]! - 1
    if (known !== -1) return known
    if ((this.size + 1) * 2 > this.slots.length) {
      const [bytes, key] = [this.keyBytes.slice(), this.keyBytes]
      this.rehash()
      key.set(bytes)
      return this.addKey()
    }
    if ((this.size + 1) * WORDS > this.words.length)
      this.words = resized(this.words, new Uint32Array(this.words.length * 2))
    this.words.set(this.key, this.size * WORDS)
    this.slots[slot] = ++this.size
    return this.size - 1
  }

  /** Returns a serialized outpoint. */
  bytesOf(entry: number): Uint8Array {
    return new Uint8Array(this.words.buffer, entry * OUTPOINT_BYTES, OUTPOINT_BYTES).slice()
  }

  clear(): void {
    this.size = 0
    this.slots.fill(0)
  }

  private readKey(bytes: Uint8Array, at: number, length = OUTPOINT_BYTES): void {
    const { keyBytes } = this
    for (let i = 0; i < length; i++) keyBytes[i] = bytes[at + i]!
  }

  /** Returns the slot of the key, or the free slot for it. */
  private slotOf(): number {
    const { key, salt, slots, words } = this
    let hash = Math.imul(key[0]! ^ salt[0]!, 0x85ebca6b)
    hash = Math.imul((hash ^ (hash >>> 15)) + (key[1]! ^ salt[1]!), 0xc2b2ae35)
    hash = Math.imul((hash ^ (hash >>> 13)) + (key[2]! ^ salt[2]!), 0x27d4eb2f)
    hash = Math.imul((hash ^ (hash >>> 16)) + (key[8]! ^ salt[3]!), 0x9e3779b1)
    const mask = slots.length - 1
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot]! - 1
      if (entry === -1) return slot
      let same = 0
      while (same < WORDS && words[entry * WORDS + same] === key[same]) same++
      if (same === WORDS) return slot
    }
  }

  private rehash(): void {
    const { size, words } = this
    this.slots = new Int32Array(this.slots.length * 2)
    this.size = 0
    const bytes = new Uint8Array(words.buffer)
    for (let entry = 0; entry < size; entry++) this.add(bytes, entry * OUTPOINT_BYTES)
  }
}
