import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { BlockConsumer } from '../blocks/block-consumer.ts'
import { countChange } from '../inscriptions/adopt-queries.ts'
import { findTip, lockIndex } from '../inscriptions/queries.ts'
import { mapParallel } from '../ord/map-parallel.ts'
import type { Ord } from '../ord/ord.ts'
import type { Adopter } from './adopt.ts'
import {
  complete,
  deleteIncomplete,
  type Incomplete,
  insertIncomplete,
  listIncomplete,
  postpone,
} from './complete-queries.ts'
import { allParents } from './facts.ts'

/**
 * Queues new inscriptions for `completeSome`. An index that started mid-chain lacks their sats, unadopted parents and older inscriptions on
 * the same sat. Undoing a block deletes its queue entries by cascade.
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

const BATCH_SIZE = 300
/** Concurrent requests of parents. */
const PARALLEL = 4
/** Batch size after a failure. ord reads the whole reveal transaction for each inscription. */
const SMALL_BATCH_SIZE = 10
/** Failures after which an inscription without claimed parents is dropped. */
const MAX_TRIES = 5

/**
 * Completes a batch of queued inscriptions from ord, adopts their delegates, and returns their number. `onParents` receives parents of new
 * children, in the same transaction.
 */
export async function completeSome(
  sql: Sql,
  ord: Ord,
  adopter: Pick<Adopter, 'adopt'>,
  onParents: (tx: Transaction, parentIds: readonly string[]) => Promise<void>,
): Promise<number> {
  const next = await listIncomplete(sql, BATCH_SIZE)
  if (next.length === 0) return 0
  const batch =
    next[0]!.tries === 0 ? next.filter(({ tries }) => tries === 0) : next.slice(0, SMALL_BATCH_SIZE)
  const before = await ord.height()
  const inscriptions = await fetchFromOrd(sql, ord, adopter, batch)
  if (!inscriptions) return 0
  const tip = await findTip(sql)
  if (!tip || tip.height > before || (await ord.blockHash(tip.height)) !== tip.blockHash) return 0
  return inTransaction(sql, async (tx) => {
    await lockIndex(tx)
    if ((await findTip(tx))?.blockHash !== tip.blockHash) return 0
    await countChange(tx)
    const sequenceOf = new Map(batch.map((row) => [row.inscriptionId, row.sequence]))
    const parents = await complete(
      tx,
      inscriptions.map(({ id, sat, charms, parents }) => ({
        sequence: sequenceOf.get(id)!,
        sat,
        reinscription: charms.includes('reinscription'),
        vindicated: charms.includes('vindicated'),
        parentIds: parents,
      })),
    )
    await deleteIncomplete(
      tx,
      inscriptions.map(({ id }) => sequenceOf.get(id)!),
    )
    for (const { id } of inscriptions) sequenceOf.delete(id)
    // ord does not know these yet, or its response is too large.
    await postpone(tx, [...sequenceOf.values()], MAX_TRIES)
    if (parents.length > 0) await onParents(tx, [...new Set(parents)])
    return inscriptions.length
  })
}

/**
 * Fetches inscriptions from ord and adopts their delegates. Returns null if ord is behind. A failed batch moves to the end of the queue, so
 * that one heavy reveal does not block it.
 */
async function fetchFromOrd(
  sql: Sql,
  ord: Ord,
  adopter: Pick<Adopter, 'adopt'>,
  batch: readonly Incomplete[],
) {
  try {
    const delegates = new Set(batch.flatMap(({ missingDelegate }) => missingDelegate ?? []))
    if (delegates.size > 0 && !(await adopter.adopt([...delegates]))) return null
    const inscriptions = await ord.inscriptions(batch.map((row) => row.inscriptionId))
    return await mapParallel(inscriptions, PARALLEL, async (each) => ({
      ...each,
      parents: await allParents(ord, each),
    }))
  } catch (error) {
    await postpone(
      sql,
      batch.map((row) => row.sequence),
      MAX_TRIES,
    )
    throw error
  }
}
