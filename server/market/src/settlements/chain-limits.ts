import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { MempoolSource } from '@ordbook/indexer/node/source.ts'

/** Most ancestors or descendants of a transaction in a mempool, and most transactions of a package (Bitcoin Core's limits). */
const MOST = 25

/**
 * True when nodes accept a package that spends these unconfirmed coins: with their ancestors it stays within the limits of the
 * mempool, and no parent spends another parent, which packages do not allow. `added`: transactions of the package.
 */
export async function fitsMempool(
  node: Pick<MempoolSource, 'mempoolFamily'>,
  coins: readonly Outpoint[],
  added: number,
): Promise<boolean> {
  const parents = new Set(coins.map((coin) => coin.txid))
  const ancestors = new Map<string, { depends: readonly string[]; descendants: number }>()
  const open = [...parents]
  for (let txid = open.pop(); txid !== undefined; txid = open.pop()) {
    if (ancestors.has(txid)) continue
    const family = await node.mempoolFamily(txid)
    // Confirmed or dropped in the meantime. The caller reads the coins again.
    if (!family) continue
    if (family.depends.some((each) => parents.has(each))) return false
    ancestors.set(txid, family)
    if (ancestors.size + added > MOST) return false
    open.push(...family.depends)
  }
  return [...ancestors.values()].every(({ descendants }) => descendants + added <= MOST)
}
