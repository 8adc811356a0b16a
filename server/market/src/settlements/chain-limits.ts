import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { MempoolSource } from '@ordbook/indexer/node/source.ts'

/** Bitcoin Core's limit on ancestors, descendants and package size. */
const MAX_CHAIN = 25

/**
 * Returns true if `added` transactions can spend these unconfirmed coins within the mempool's limits. No parent may spend another parent.
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
    // Confirmed or dropped. The caller checks the coins again.
    if (!family) continue
    if (family.depends.some((parent) => parents.has(parent))) return false
    ancestors.set(txid, family)
    if (ancestors.size + added > MAX_CHAIN) return false
    open.push(...family.depends)
  }
  return [...ancestors.values()].every(({ descendants }) => descendants + added <= MAX_CHAIN)
}
