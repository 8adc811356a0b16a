import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { findBlockHash, findTip } from '@ordbook/indexer/inscriptions/queries.ts'
import type { BlockSource } from '@ordbook/indexer/node/source.ts'

/** How the node's chain differs from the index: it lacks the index's last block, at `height`, or ends below it on the same branch. */
export interface Departure {
  fault: 'node-other-chain' | 'node-behind'
  height: number
}

/** Returns null if the node has the last block of the index. */
export async function findDeparture(
  sql: Queryable,
  node: Pick<BlockSource, 'blockHash' | 'blockchainInfo'>,
): Promise<Departure | null> {
  // Read the index first, because the node has a new block before the index.
  const tip = await findTip(sql)
  if (!tip) return null
  const { height } = tip
  const hash = await node.blockHash(height)
  if (hash === tip.blockHash) return null
  if (hash === null) {
    const { blocks, bestblockhash } = await node.blockchainInfo()
    if (blocks < height && (await findBlockHash(sql, blocks)) === bestblockhash)
      return { fault: 'node-behind', height }
  }
  return { fault: 'node-other-chain', height }
}
