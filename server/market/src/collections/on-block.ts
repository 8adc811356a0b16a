import type { BlockConsumer } from '@ordbook/indexer/blocks/block-consumer.ts'
import { listVanished } from '@ordbook/indexer/inscriptions/queries.ts'
import { sortInscribedAt, updateSortKeys } from './import-queries.ts'

/** Sets sort keys when items are inscribed. */
export const collectionsOnBlock: BlockConsumer = {
  name: 'collections',
  async apply(tx, block) {
    if (block.inscribed.length > 0) await sortInscribedAt(tx, block.height)
  },
  async undo() {},
  async undone(tx, inscriptionIds) {
    const ids = await listVanished(tx, inscriptionIds)
    await updateSortKeys(
      tx,
      ids.map((inscriptionId) => ({ inscriptionId, sequence: null })),
    )
  },
}
