import { formatOutpoint, isNoTxid, type Outpoint } from './outpoint.ts'
import { readRunestone } from './runestone.ts'
import type { Tx } from './transaction.ts'

export interface ConfirmedTx {
  tx: Tx
  /** Heights of the outputs that it spends; any for the input of a coinbase. */
  inputHeights: readonly number[]
}

export interface RuneSource {
  /** Fetches a transaction of the block at a height. */
  fetch(txid: string, height: number): Promise<ConfirmedTx>
  /** No rune was etched below this height. */
  firstRuneHeight: number
}

export interface ConfirmedCoin extends Outpoint {
  height: number
}

/**
 * Returns whether a confirmed coin certainly has no runes: its transaction cannot have sent runes to it, or none of its ancestors had any.
 * False also if that takes more than `mostTransactions`. `known` are coins without runes. Rejects if `fetch` rejects.
 */
export async function isProvenWithoutRunes(
  coin: ConfirmedCoin,
  source: RuneSource,
  { mostTransactions }: { mostTransactions: number },
  known: ReadonlySet<string> = new Set(),
): Promise<boolean> {
  const read = new Map<string, ConfirmedTx & { stone: ReturnType<typeof readRunestone> }>()
  const seen = new Set<string>()
  const pending = [coin]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const key = formatOutpoint(next)
    if (next.height < source.firstRuneHeight || known.has(key) || seen.has(key)) continue
    seen.add(key)
    let found = read.get(next.txid)
    if (!found) {
      if (read.size >= mostTransactions) return false
      const fetched = await source.fetch(next.txid, next.height)
      // Once per transaction, because a coin can have thousands of outputs of a large one as ancestors.
      found = { ...fetched, stone: readRunestone(fetched.tx) }
      read.set(next.txid, found)
    }
    const { tx, inputHeights, stone } = found
    if (stone === 'cenotaph') return false
    if (!stone.mayName(next.vout)) continue
    if (stone.creates) return false
    for (const [n, { txid, vout }] of tx.inputs.entries())
      if (!isNoTxid(txid)) pending.push({ txid, vout, height: inputHeights[n]! })
  }
  return true
}
