import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { BlockConsumer } from '../blocks/follower.ts'
import { findTip, lockIndex } from '../inscriptions/queries.ts'
import type { Ord } from '../ord/ord.ts'
import {
  complete,
  deleteIncomplete,
  type Incomplete,
  insertIncomplete,
  listIncomplete,
  postpone,
} from './complete-queries.ts'

/**
 * An index that began in the middle of a chain does not know the contents of older coins: the sat of a new inscription, parents that were
 * not adopted, older inscriptions on the same sat. It records each new inscription as incomplete, and fetches the missing facts from an ord
 * server, whether or not the parents are ever adopted. Undoing a block deletes its inscriptions with these records.
 */
export const incompleteOnBlock: BlockConsumer = {
  name: 'incomplete inscriptions',
  async apply(tx, block) {
    await insertIncomplete(
      tx,
      block.inscribed.map((event) => ({
        sequence: event.sequence,
        claimsParents: event.envelope.parents.length > event.parents.length,
      })),
    )
  },
  async undo() {},
}

/** Inscriptions per request. */
const BATCH_SIZE = 300
/** Inscriptions per request after a failure: ord reads a whole reveal transaction again for each of its inscriptions. */
const SMALL_PART = 10
/** Failures after which an inscription that claims no parent is given up. */
const MAX_TRIES = 5

/** Completes some inscriptions; returns how many. `onParents` receives parents with new children, in the same transaction. */
export async function completeSome(
  sql: Sql,
  ord: Ord,
  onParents: (tx: Transaction, parentIds: readonly string[]) => Promise<void>,
): Promise<number> {
  const next = await listIncomplete(sql, BATCH_SIZE)
  if (next.length === 0) return 0
  const asked = next[0]!.tries === 0 ? next.filter(({ tries }) => tries === 0) : next.slice(0, SMALL_PART)
  const before = await ord.height()
  const answers = await fetchFromOrd(sql, ord, asked)
  return inTransaction(sql, async (tx) => {
    await lockIndex(tx)
    const tip = await findTip(tx)
    // If ord is behind the index, or on another branch, its data does not match.
    if (!tip || tip.height > before || (await ord.blockHash(tip.height)) !== tip.blockHash) return 0
    const sequenceOf = new Map(asked.map((each) => [each.inscriptionId, each.sequence]))
    const parents = await complete(
      tx,
      answers.map(({ id, sat, charms, parents }) => ({
        sequence: sequenceOf.get(id)!,
        sat,
        reinscription: charms.includes('reinscription'),
        vindicated: charms.includes('vindicated'),
        parentIds: parents,
      })),
    )
    await deleteIncomplete(tx, [...sequenceOf.values()])
    if (parents.length > 0) await onParents(tx, [...new Set(parents)])
    return answers.length
  })
}

/** Fetches inscriptions from ord. After a failure they are moved behind the others, so that one heavy reveal does not block the queue. */
async function fetchFromOrd(sql: Sql, ord: Ord, asked: readonly Incomplete[]) {
  try {
    return await ord.inscriptions(asked.map((each) => each.inscriptionId))
  } catch (error) {
    await postpone(
      sql,
      asked.map((each) => each.sequence),
      MAX_TRIES,
    )
    throw error
  }
}
