import { formatOutpoint, type Outpoint } from './outpoint.ts'
import { keyOfTxid } from './raw-block.ts'

/**
 * Known contents of outputs (inscriptions, rare sats). A block removes the contents of outputs that it spends and adds them at their
 * destinations. It is also the set of keys (`keyOfTxid`) for skipping transactions that spend none of the outputs.
 */
export class Holdings<T extends { offset: number }> {
  private readonly byOutpoint = new Map<string, T[]>()
  private readonly keys = new Set<number>()

  /** Puts a thing into an output. */
  put(outpoint: Outpoint, thing: T): void {
    const key = formatOutpoint(outpoint)
    const inside = this.byOutpoint.get(key)
    if (inside) inside.push(thing)
    else this.byOutpoint.set(key, [thing])
    this.keys.add(keyOfTxid(outpoint.txid))
  }

  /** Removes and returns the contents of a spent output. */
  take(outpoint: Outpoint): readonly T[] {
    if (!this.keys.has(keyOfTxid(outpoint.txid))) return []
    const key = formatOutpoint(outpoint)
    const inside = this.byOutpoint.get(key)
    this.byOutpoint.delete(key)
    return inside ?? []
  }

  /** True when an output of a transaction with this key may hold something. */
  has(key: number): boolean {
    return this.keys.has(key)
  }
}
