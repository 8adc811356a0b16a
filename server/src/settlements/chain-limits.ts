import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { MempoolSource } from '../chain/source.ts'

/** Transactions that may hang together in a mempool, by ancestors or by descendants, at Core's limits; of one package, too. */
const MOST = 25

/**
 * Whether nodes take a package that spends these unconfirmed coins: with all that they rest on it stays within the limits of the
 * mempool, and no parent rests on another one, which packages do not allow. `added`: transactions of the package.
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
    // In a block meanwhile, or gone: the coins are looked at again before they count.
    if (!family) continue
    if (family.depends.some((each) => parents.has(each))) return false
    ancestors.set(txid, family)
    if (ancestors.size + added > MOST) return false
    open.push(...family.depends)
  }
  return [...ancestors.values()].every(({ descendants }) => descendants + added <= MOST)
}
