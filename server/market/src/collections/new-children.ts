import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { BlockConsumer } from '@ordbook/indexer/blocks/block-consumer.ts'
import { inParts } from '@ordbook/indexer/inscriptions/coin-queries.ts'
import { listVanished, lockIndex } from '@ordbook/indexer/inscriptions/queries.ts'
import { readItems, refresh } from './from-chain.ts'
import {
  insertChildren,
  listNewChildren,
  listStale,
  markStale,
  markStaleAt,
  takeStale,
} from './new-children-queries.ts'

const ROWS = 1000
/** Time to refresh collections, while blocks wait. */
const TURN_MILLISECONDS = 1000

/**
 * Adds new children to the collections of their parents, so that their moves are recorded. What takes time by the size of a collection is
 * left to `refreshStale`: ranks, trait counts, and items that a reorg removed.
 */
export const chainCollectionsOnBlock: BlockConsumer = {
  name: 'chain collections',
  isOptional: true,
  async apply(tx, block) {
    if (block.inscribed.length === 0) return
    await addChildren(tx, block.height)
    await markStaleAt(tx, block.height)
  },
  async undo() {},
  async undone(tx, inscriptionIds) {
    const vanished = await listVanished(tx, inscriptionIds)
    if (vanished.length > 0) await markStale(tx, { sources: vanished, members: vanished })
  },
}

async function addChildren(tx: Transaction, height: number): Promise<void> {
  const added = new Map<string, number>()
  const children = await listNewChildren(tx, height)
  const read = await readItems(tx, children)
  const items = children.map(({ inscriptionId, collectionId, collectionName, nextOrdinal }) => {
    const n = added.get(collectionId) ?? 0
    added.set(collectionId, n + 1)
    const ordinal = nextOrdinal + n
    const item = read.get(inscriptionId)!
    return { ...item, name: item.name || `${collectionName} #${ordinal + 1}`, collectionId, ordinal }
  })
  for (const part of inParts(items, ROWS)) await insertChildren(tx, part)
}

/** Marks the collections of parents with further children. */
export const markParents = (tx: Transaction, parentIds: readonly string[]): Promise<void> =>
  markStale(tx, { sources: parentIds, members: [] })

/**
 * Refreshes marked collections for a limited time, each in a transaction. Returns true if some are left. Throws the first error after it
 * tried the others.
 */
export async function refreshStale(sql: Sql, until: AbortSignal): Promise<boolean> {
  const end = performance.now() + TURN_MILLISECONDS
  const errors: unknown[] = []
  for (const collectionId of await listStale(sql)) {
    if (until.aborted || performance.now() > end) return true
    await inTransaction(sql, async (tx) => {
      await lockIndex(tx)
      const collection = await takeStale(tx, collectionId)
      if (collection) await refresh(tx, collection)
    }).catch((error: unknown) => errors.push(error))
  }
  if (errors.length > 0) throw errors[0]
  return false
}
