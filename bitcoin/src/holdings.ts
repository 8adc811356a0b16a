import { formatOutpoint, type Outpoint } from './outpoint.ts'
import { keyOfTxid } from './raw-block.ts'

/**
 * Known contents of outputs (inscriptions, rare sats). A block removes the contents of spent outputs and adds them to new outputs. Also a
 * set of `keyOfTxid` keys, to skip transactions that spend none of the outputs.
 */
export class Holdings<T extends { offset: number }> {
  private readonly byOutpoint = new Map<string, T[]>()
  private readonly keys = new Set<number>()

  put(outpoint: Outpoint, thing: T): void {
    const key = formatOutpoint(outpoint)
    const inside = this.byOutpoint.get(key)
    if (inside) inside.push(thing)
    else this.byOutpoint.set(key, [thing])
    this.keys.add(keyOfTxid(outpoint.txid))
  }

  /** Removes and returns the contents of an output. */
  take(outpoint: Outpoint): readonly T[] {
    if (!this.keys.has(keyOfTxid(outpoint.txid))) return []
    const key = formatOutpoint(outpoint)
    const inside = this.byOutpoint.get(key)
    this.byOutpoint.delete(key)
    return inside ?? []
  }

  /** Returns true if an output of a transaction with this key can have contents. */
  has(key: number): boolean {
    return this.keys.has(key)
  }
}
