import { RULES } from '@ordbook/bitcoin/chain-rules.ts'
import { subsidyAt } from '@ordbook/bitcoin/inscription-flow.ts'
import { flowRareSats, type RareMove, RareSats } from '@ordbook/bitcoin/rare-sats.ts'
import { inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import { blockBatches } from '../blocks/block-batches.ts'
import type { BlockReader } from '../blocks/block-reader.ts'
import { moveRareSats } from '../inscriptions/queries.ts'
import type { BlockSource } from '../node/source.ts'
import { TransactionProgress } from '../sync-progress.ts'
import { findRareSatsRead, listRareSats, setRareSatsRead } from './rare-sat-queries.ts'

/** Blocks between commits. */
const PORTION = 1000

/** Progress after a block. `total` is null if the node does not know its transactions. */
export type ReadProgress = ReturnType<TransactionProgress['read']> & { height: number; total: number | null }

/**
 * Stores where the rare sats of all blocks below a height are, for an index that begins there. Continues after the last commit of an
 * interrupted call. Throws if the node is on another chain than before, or does not have all blocks.
 */
export async function readRareSats(
  sql: Sql,
  node: BlockSource,
  { chain, below, reader }: { chain: string; below: number; reader: BlockReader },
  onProgress: (progress: ReadProgress) => void = () => {},
): Promise<void> {
  const { halvingInterval } = RULES[chain]!
  const read = await findRareSatsRead(sql)
  let next = 0
  const rare = new RareSats()
  if (read) {
    next = read.height + 1
    if ((await node.blockHash(read.height)) !== read.blockHash)
      throw new Error(`The node has another block ${read.height} than before. Start with an empty database.`)
    for (const { bornHeight, satOffset: offset, ...outpoint } of await listRareSats(sql))
      rare.add(bornHeight, { ...outpoint, offset })
    rare.takeMoves()
  }
  if (next >= below) return
  const last = await node.blockHash(below - 1)
  if (last === null) throw missing(below - 1)
  const total = await node.transactionCount(last)
  const progress = new TransactionProgress(
    read ? ((await node.transactionCount(read.blockHash)) ?? 0) : 0,
    total ?? 0,
  )
  while (next < below) {
    const hashes = await node.blockHashes(next, Math.min(below, next + PORTION) - 1)
    if (hashes.length === 0) throw missing(next)
    const moves: { height: number; move: RareMove }[] = []
    for await (const batch of blockBatches(reader, hashes, next))
      for (const { height, transactions } of batch) {
        const subsidySats = subsidyAt(height, halvingInterval)
        for (const move of flowRareSats(transactions, { height, subsidySats, rare }))
          moves.push({ height, move })
        progress.add(transactions.length)
        onProgress({ ...progress.read(), height, total })
      }
    next += hashes.length
    await inTransaction(sql, async (tx) => {
      await moveRareSats(tx, moves, Infinity)
      await setRareSatsRead(tx, { height: next - 1, blockHash: hashes.at(-1)! })
    })
  }
}

const missing = (height: number) => new Error(`The node has no block ${height}. Wait until it is synced.`)
