import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { type Facts, fetchBody, fetchFacts, TooLarge } from '../adoption/facts.ts'
import type { Reveals } from '../adoption/reveals.ts'
import { countChange, findBase } from '../inscriptions/adopt-queries.ts'
import { type BlockRow, findTip, lockIndex } from '../inscriptions/queries.ts'
import { mapParallel } from '../ord/map-parallel.ts'
import { findSatIndex } from '../sats/sat-queries.ts'
import { compareFields, type FieldDifference, PLACE_FIELDS } from './fields.ts'
import { PARALLEL, type Peer } from './peer.ts'
import { type PlaceRepair, planPlaces, repairPlaces } from './places.ts'
import {
  countInscriptions,
  dropProgress,
  findProgress,
  listParents,
  listStored,
  type StoredRow,
  saveProgress,
  updateBody,
  updateCounters,
  updateFacts,
} from './queries.ts'

const BATCH = 500
/** Seconds to wait until index and peer are at the same block. */
const PATIENCE_SECONDS = 60
/** Attempts at a batch, each with fewer rows, and the pause after a failure of a server. */
const MAX_FAILURES = 20
const PAUSE_MS = 1000
/** Maximum bodies that a batch replaces, in bytes. */
const MAX_BODY_BYTES = 32 * 2 ** 20

export interface Verified {
  compared: number
  repaired: number
  unrepaired: number
}

interface Verification {
  sql: Sql
  peer: Peer
  /** The peer's URL. An interrupted verification against it continues where it stopped. */
  peerUrl: string
  reveals: Reveals
  chain: string
  /** Runs in the transaction that changes parents or galleries. */
  onParents: (tx: Transaction, inscriptionIds: readonly string[]) => Promise<void>
  say: (line: string) => void
  onProgress?: (done: number, total: number) => void
}

/**
 * Compares every inscription of the index with `ord` or a second ordbook and repairs what differs, one transaction per batch. Each batch is
 * compared at a block that both have as their last, and written only if the index is still there, so a running follower may continue.
 * Continues an interrupted verification.
 * Throws `unavailable`, and an error if the two do not meet at a block.
 */
export async function verifyIndex(parts: Verification): Promise<Verified> {
  const verifier = new Verifier(parts)
  await verifier.verifyInscriptions()
  await verifier.verifyChildren()
  await verifier.verifyCounters()
  await dropProgress(parts.sql)
  return verifier.result
}

/** Thrown if a batch must be compared again, with fewer rows. */
class Moved extends Error {
  constructor() {
    super('The chain moved on, or inscriptions are too large, while they were compared. Try again.')
  }
}

const isPlace = ({ field }: FieldDifference) => PLACE_FIELDS.has(field)

/** A difference of one inscription, with what to do about it. */
interface Wrong {
  row: StoredRow
  facts: Facts
  differences: FieldDifference[]
}

class Verifier {
  readonly result: Verified = { compared: 0, repaired: 0, unrepaired: 0 }
  private readonly parts: Verification

  constructor(parts: Verification) {
    this.parts = parts
  }

  async verifyInscriptions(): Promise<void> {
    const { sql, peerUrl, say, onProgress } = this.parts
    let after = (await findProgress(sql, peerUrl)) ?? Number.MIN_SAFE_INTEGER
    const { all, before } = await countInscriptions(sql, after)
    if (before > 0) say(`continuing after ${before} of ${all} inscriptions, which were compared before`)
    let size = BATCH
    let failures = 0
    for (;;) {
      const rows = await this.verifyBatch(after, size).catch(async (error: unknown) => {
        if (++failures > MAX_FAILURES) throw error
        // Large inscriptions can be read one by one, and the other server may be busy.
        if (!(error instanceof Moved || error instanceof TooLarge)) await sleep(PAUSE_MS)
        return null
      })
      size = rows ? Math.min(BATCH, size * 2) : Math.max(1, size >> 2)
      if (!rows) continue
      if (rows.length === 0) break
      failures = 0
      after = rows.at(-1)!.sequence
      await saveProgress(sql, peerUrl, after)
      this.result.compared += rows.length
      onProgress?.(Math.min(before + this.result.compared, all), all)
    }
    onProgress?.(all, all)
  }

  /** Children are the parents of others, so only their order and missing inscriptions can still differ. */
  async verifyChildren(): Promise<void> {
    const { sql, peer } = this.parts
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const rows = await listParents(sql, after, BATCH)
      const last = rows.at(-1)
      if (!last) return
      after = last.sequence
      const parents = rows.filter(({ childIds }) => childIds.length > 0)
      const found = await mapParallel(parents, PARALLEL, ({ inscriptionId }) => peer.children(inscriptionId))
      for (const [n, { inscriptionId, childIds }] of parents.entries()) {
        const children = found[n]!
        // Children of a block that only one of the two has yet are at the end.
        const [shared, common] = [new Set(children), new Set(childIds)]
        const ours = childIds.filter((id) => shared.has(id))
        const theirs = children.filter((id) => common.has(id))
        if (ours.join() !== theirs.join())
          this.note(inscriptionId, { field: 'order of children', stored: ours, source: theirs }, false)
      }
    }
  }

  /** Compares the counters that number the next inscriptions, and the number of inscriptions with them. */
  async verifyCounters(): Promise<void> {
    const { sql, peer } = this.parts
    const { expected, fromBlocks } = await countInscriptions(sql, 0)
    if (expected !== fromBlocks)
      this.note(
        'the index',
        { field: 'inscriptions of its blocks', stored: fromBlocks, source: expected },
        false,
      )
    const tip = await this.meet()
    const counters = await peer.counters()
    if (!counters || counters.height !== tip.height) return
    const { height, ...source } = counters
    const { nextSequence, blessed, cursed, lostSats } = tip
    const stored = { nextSequence, blessed, cursed, lostSats }
    if (JSON.stringify(stored) === JSON.stringify(source)) return
    const isDone = await this.atTip(tip, async (tx) => {
      await updateCounters(tx, tip.height, source)
      return true
    })
    this.note(`block ${tip.height}`, { field: 'counters', stored, source }, isDone)
  }

  /** Returns the compared rows. Throws `Moved` to try again. */
  private async verifyBatch(after: number, size: number): Promise<StoredRow[]> {
    const { sql, peer, reveals } = this.parts
    const tip = await this.meet()
    const rows = await listStored(sql, after, size)
    const ids = rows.map(({ inscriptionId }) => inscriptionId)
    const read = { height: tip.height, firstHeights: tip.height, hashesBodies: true }
    const facts = await fetchFacts(peer, reveals, ids, read)
    const found = new Map(facts.map((each) => [each.inscriptionId, each]))
    const wrong = await this.compare(rows, found)
    const misplaced = wrong.filter(({ differences }) => differences.some(isPlace)).map(({ row }) => row)
    const places = misplaced.length === 0 ? null : await planPlaces(sql, peer, misplaced)
    const bodies = await this.fetchBodies(wrong)
    if (!(await this.isAt(tip))) throw new Moved()
    if (wrong.length > 0 && !(await this.atTip(tip, (tx) => this.repair(tx, wrong, places, bodies))))
      throw new Moved()
    for (const { inscriptionId } of rows) {
      const facts = found.get(inscriptionId)
      if (!facts) this.note(inscriptionId, { field: 'inscription', stored: 'here', source: 'nothing' }, false)
      const { type, length } = facts?.reported ?? {}
      if (facts && (type !== facts.contentType || length !== facts.contentLength))
        this.note(
          inscriptionId,
          {
            field: 'content in its reveal',
            stored: { type: facts.contentType, length: facts.contentLength },
            source: facts.reported,
          },
          false,
        )
    }
    for (const { row, differences } of wrong)
      for (const difference of differences)
        this.note(row.inscriptionId, difference, !isPlace(difference) || places !== null)
    return rows
  }

  private async compare(rows: readonly StoredRow[], found: ReadonlyMap<string, Facts>): Promise<Wrong[]> {
    const { sql, chain } = this.parts
    const hasSats = (await findSatIndex(sql)) === 'on' || (await findBase(sql)) !== null
    return rows.flatMap((row) => {
      const facts = found.get(row.inscriptionId)
      const differences = facts ? compareFields(row, facts, { chain, hasSats }) : []
      return facts && differences.length > 0 ? [{ row, facts, differences }] : []
    })
  }

  private async fetchBodies(wrong: readonly Wrong[]): Promise<Map<string, Uint8Array | null>> {
    const bodies = new Map<string, Uint8Array | null>()
    let bytes = 0
    for (const { row, differences } of wrong) {
      if (!differences.some(({ field }) => field === 'body')) continue
      const body = await fetchBody(this.parts.reveals, row.inscriptionId)
      bytes += body?.length ?? 0
      if (bytes > MAX_BODY_BYTES && bodies.size > 0) throw new Moved()
      bodies.set(row.inscriptionId, body)
    }
    return bodies
  }

  /** Returns false if the coins have changed since the plan. */
  private async repair(
    tx: Transaction,
    wrong: readonly Wrong[],
    places: PlaceRepair | null,
    bodies: ReadonlyMap<string, Uint8Array | null>,
  ): Promise<boolean> {
    if (places && !(await repairPlaces(tx, places))) return false
    const changed = new Set<string>()
    for (const { row, facts, differences } of wrong) {
      const fields = new Set(differences.map(({ field }) => field))
      if (fields.has('body')) await updateBody(tx, row.sequence, bodies.get(row.inscriptionId)!)
      if (!differences.every(isPlace)) await updateFacts(tx, row.sequence, facts)
      if (fields.has('parents')) for (const id of [...row.parentIds, ...facts.parentIds]) changed.add(id)
      if (fields.has('properties') || fields.has('property encoding')) changed.add(row.inscriptionId)
    }
    if (changed.size > 0) await this.parts.onParents(tx, [...changed])
    return true
  }

  private note(where: string, { field, stored, source }: FieldDifference, isRepaired: boolean): void {
    if (isRepaired) this.result.repaired++
    else this.result.unrepaired++
    this.parts.say(
      `${where}: ${field} ${shortOf(stored)}, expected ${shortOf(source)}: ${isRepaired ? 'repaired' : 'cannot be repaired'}`,
    )
  }

  /** Waits until the index and the peer have the same last block. */
  private async meet(): Promise<BlockRow> {
    for (let waited = 0; ; waited++) {
      const tip = await findTip(this.parts.sql)
      if (!tip) throw new Error('The index has no blocks yet.')
      if (await this.isAt(tip)) return tip
      if (waited === PATIENCE_SECONDS)
        throw new Error(
          `The index is at block ${tip.height}, the other server at ${await this.parts.peer.height()}. Wait until both have the same blocks.`,
        )
      await sleep(1000)
    }
  }

  private async isAt(tip: BlockRow): Promise<boolean> {
    const { sql, peer } = this.parts
    return (
      (await peer.height()) === tip.height &&
      (await peer.blockHash(tip.height)) === tip.blockHash &&
      (await findTip(sql))?.blockHash === tip.blockHash
    )
  }

  /** Runs `work` in a transaction if the index is still at a block. Returns false otherwise, or if `work` does. */
  private atTip(tip: BlockRow, work: (tx: Transaction) => Promise<boolean>): Promise<boolean> {
    return inTransaction(this.parts.sql, async (tx) => {
      await lockIndex(tx)
      if ((await findTip(tx))?.blockHash !== tip.blockHash) return false
      await countChange(tx)
      return work(tx)
    })
  }
}

function shortOf(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
