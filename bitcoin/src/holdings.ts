import { formatOutpoint, type Outpoint } from './outpoint.ts'
import { keyOfTxid } from './raw-block.ts'

/** Contents of outputs, such as inscriptions and rare sats. `keyOfTxid` keys allow skipping unrelated transactions. */
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

  take(outpoint: Outpoint): readonly T[] {
    const inside = this.in(outpoint)
    if (inside.length > 0) this.byOutpoint.delete(formatOutpoint(outpoint))
    return inside
  }

  in(outpoint: Outpoint): readonly T[] {
    if (!this.keys.has(keyOfTxid(outpoint.txid))) return []
    return this.byOutpoint.get(formatOutpoint(outpoint)) ?? []
  }

  /** Returns false if no output of the transaction has contents. Takes a `keyOfTxid` key. */
  has(key: number): boolean {
    return this.keys.has(key)
  }
}
