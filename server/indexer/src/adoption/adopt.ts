import { parseInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { placeAdopted } from '../blocks/adopt-coins.ts'
import {
  type AdoptedRow,
  countChange,
  insertAdopted,
  listUnknown,
  listUnseenItems,
} from '../inscriptions/adopt-queries.ts'
import { findTip, lockIndex } from '../inscriptions/queries.ts'
import type { BlockSource, MempoolSource } from '../node/source.ts'
import type { Ord } from '../ord/ord.ts'
import { fetchFacts, TooLarge } from './facts.ts'
import { type Reveals, revealsOf } from './reveals.ts'

const BATCH_SIZE = 500
const LIST_SIZE = 10 * BATCH_SIZE
/** Milliseconds before a missing inscription is requested from ord again. */
const RETRY_AFTER_MS = 600_000

type OnAdopted = (
  tx: Transaction,
  adopted: readonly { inscriptionId: string; sequence: number }[],
) => Promise<void>

interface AdoptionBatch {
  ids: readonly string[]
  rows: AdoptedRow[]
  before: OrdBlock
  after: OrdBlock
}

interface OrdBlock {
  height: number
  hash: string | null
}

/** Copies collection members older than the index's base from `ord`. */
export class Adopter {
  private readonly sql: Sql
  private readonly node: BlockSource
  private readonly ord: Ord
  private readonly reveals: Reveals
  private readonly onAdopted: OnAdopted
  private readonly unknown = new Map<string, number>()
  private readonly base: number
  /** Reduced after a failure, to isolate the inscription that caused it. */
  private batchSize = BATCH_SIZE

  /** `base` is the first height of the index. `onAdopted` runs in the transaction that inserts the rows. */
  constructor(
    sql: Sql,
    node: BlockSource & Pick<MempoolSource, 'transactions'>,
    ord: Ord,
    base: number,
    onAdopted: OnAdopted,
  ) {
    this.base = base
    this.onAdopted = onAdopted
    this.sql = sql
    this.node = node
    this.ord = ord
    this.reveals = revealsOf(node, ord)
  }

  /**
   * Adopts collection items until none are left, `milliseconds` have passed or `until` aborts. Returns true if some are left. Prefetches
   * the next batch.
   */
  async adoptUnseen(milliseconds: number, until: AbortSignal): Promise<boolean> {
    const end = performance.now() + milliseconds
    for (;;) {
      const now = performance.now()
      for (const [id, at] of this.unknown) if (now - at > RETRY_AFTER_MS) this.unknown.delete(id)
      const ids = await listUnseenItems(this.sql, [...this.unknown.keys()], LIST_SIZE)
      if (ids.length === 0) return false
      let pending = this.requestBatch(ids, 0)
      while (pending) {
        const batch = await pending.batch
        const isOver = until.aborted || performance.now() > end
        const { next } = pending
        pending = isOver ? null : this.requestBatch(ids, next)
        const adopted = await this.write(batch)
        if (!adopted) return false
        for (const id of batch.ids) if (!adopted.has(id)) this.unknown.set(id, now)
        if (isOver) return next < ids.length || ids.length === LIST_SIZE
      }
    }
  }

  /** Adopts inscriptions. Returns the ids that ord has and that are not newer than the base, or null if ord is behind. */
  async adopt(ids: readonly string[]): Promise<Set<string> | null> {
    try {
      return await this.write(await this.fetchBatch(ids))
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
      const middle = ids.length >> 1
      const first = await this.adopt(ids.slice(0, middle))
      const second = first && (await this.adopt(ids.slice(middle)))
      return second && first.union(second)
    }
  }

  private requestBatch(
    all: readonly string[],
    at: number,
  ): { batch: Promise<AdoptionBatch>; next: number } | null {
    if (at >= all.length) return null
    const ids = all.slice(at, at + this.batchSize)
    const batch = this.fetchBatch(ids).then(
      (found) => {
        this.batchSize = Math.min(BATCH_SIZE, this.batchSize * 2)
        return found
      },
      (error: unknown) => {
        if (ids.length === 1) this.unknown.set(ids[0]!, performance.now())
        this.batchSize = Math.max(1, ids.length >> 2)
        throw error
      },
    )
    // Avoid an unhandled rejection. The caller awaits `batch`.
    batch.catch(() => {})
    return { batch, next: at + ids.length }
  }

  /** Fetches inscriptions and their delegates, so that content type and previews are right immediately. */
  private async fetchBatch(ids: readonly string[]): Promise<AdoptionBatch> {
    const { ord, sql, reveals } = this
    const before = await this.ordTip()
    const read = { height: before.height, firstHeights: this.base }
    const valid = ids.filter((id) => parseInscriptionId(id))
    const rows: AdoptedRow[] = await fetchFacts(ord, reveals, valid, read)
    const delegates = new Set(rows.flatMap(({ delegateId }) => delegateId ?? []))
    for (const id of valid) delegates.delete(id)
    rows.push(...(await fetchFacts(ord, reveals, [...(await listUnknown(sql, [...delegates]))], read)))
    return { ids, rows, before, after: await this.ordTip() }
  }

  private async ordTip(): Promise<OrdBlock> {
    const height = await this.ord.height()
    return { height, hash: await this.ord.blockHash(height) }
  }

  /** Writes a batch. Returns its inscription ids, or null if ord's data does not match the index's tip. */
  private async write({ rows, before, after }: AdoptionBatch): Promise<Set<string> | null> {
    const { sql, node, ord } = this
    const tip = await findTip(sql)
    if (!tip || tip.height > before.height) return null
    // ord can be ahead of the index, so check its tip against the node, before the transaction opens.
    for (const { height, hash } of [before, after])
      if (hash === null || (await node.blockHash(height)) !== hash) return null
    if ((await ord.blockHash(tip.height)) !== tip.blockHash) return null
    return inTransaction(sql, async (tx) => {
      await lockIndex(tx)
      if ((await findTip(tx))?.blockHash !== tip.blockHash) return null
      await countChange(tx)
      await insertAdopted(tx, await placeAdopted(tx, rows))
      await this.onAdopted(tx, rows)
      return new Set(rows.map((row) => row.inscriptionId))
    })
  }
}
