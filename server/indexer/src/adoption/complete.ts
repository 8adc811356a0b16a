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
 * An index that began in the middle of a chain does not know the contents of older coins: the sat of a new inscription, its
 * parents that were not adopted, older inscriptions on the same sat. It notes each inscription that it reads, and an ord server
 * gives the missing facts, whether or not the parents are ever adopted. Undoing a block deletes its inscriptions with their
 * notes.
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

/** Inscriptions in one request. */
const PART = 300
/** Inscriptions in one request once ord has failed: it reads a whole reveal again for each of its inscriptions. */
const SMALL_PART = 10
/** An inscription that claims no parent is given up after so many failures. */
const MOST_TRIES = 5

/** Completes some inscriptions; gives how many. `onParents` gets parents that have new children, in the same transaction. */
export async function completeSome(
  sql: Sql,
  ord: Ord,
  onParents: (tx: Transaction, parentIds: readonly string[]) => Promise<void>,
): Promise<number> {
  const next = await listIncomplete(sql, PART)
  if (next.length === 0) return 0
  const asked = next[0]!.tries === 0 ? next.filter(({ tries }) => tries === 0) : next.slice(0, SMALL_PART)
  const before = await ord.height()
  const answers = await fetchFromOrd(sql, ord, asked)
  return inTransaction(sql, async (tx) => {
    await lockIndex(tx)
    const tip = await findTip(tx)
    // Behind the index, or on another branch, ord does not know the same inscriptions.
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

/** Asks ord. After a failure these inscriptions queue behind the others, so that one heavy reveal delays no other. */
async function fetchFromOrd(sql: Sql, ord: Ord, asked: readonly Incomplete[]) {
  try {
    return await ord.inscriptions(asked.map((each) => each.inscriptionId))
  } catch (error) {
    await postpone(
      sql,
      asked.map((each) => each.sequence),
      MOST_TRIES,
    )
    throw error
  }
}
