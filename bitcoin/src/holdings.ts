import { formatOutpoint, type Outpoint } from './outpoint.ts'
import { keyOfTxid } from './raw-block.ts'

/**
 * Known contents of outputs: inscriptions, rare sats. A block takes things out of the outputs that it spends and
 * puts them where they land, so that the next block goes on from there. Also the set of keys (`keyOfTxid`) by which a
 * transaction that spends none of the outputs is passed over.
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

  /** Takes everything out of an output that is spent. */
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
