import type { BlockConsumer } from '../chain/follower.ts'
import { listInscribedAt } from '../chain/queries.ts'
import { updateSortKeys } from './import-queries.ts'

/** Gives items their place by sequence once the index sees them. */
export const collectionsOnBlock: BlockConsumer = {
  name: 'collections',
  async apply(tx, block) {
    await updateSortKeys(
      tx,
      block.events.filter((event) => event.kind === 'inscribed'),
    )
  },
  async undo(tx, height) {
    const ids = await listInscribedAt(tx, height)
    await updateSortKeys(
      tx,
      ids.map((inscriptionId) => ({ inscriptionId, sequence: null })),
    )
  },
}
