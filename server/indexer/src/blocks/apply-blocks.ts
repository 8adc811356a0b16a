import { type ChainRules, RULES } from '@ordbook/bitcoin/chain-rules.ts'
import { SatFlow } from '@ordbook/bitcoin/sat-ropes/flow.ts'
import { inTransaction, type Queryable, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { findChanges } from '../inscriptions/adopt-queries.ts'
import { type BlockRow, findTip, keepActive, lockIndex, raiseUndoFrom } from '../inscriptions/queries.ts'
import { findSatIndex, setSatIndex } from '../sats/sat-queries.ts'
import type { SatVacuum } from '../sats/sat-vacuum.ts'
import { Turns } from '../turns.ts'
import type { BlockConsumer } from './block-consumer.ts'
import { isRejected, RejectedRecords } from './block-fault.ts'
import {
  type ChainBlock,
  type PreparedBlocks,
  prepareBlocks,
  readEnvelopes,
  writeBlocks,
} from './index-blocks.ts'
import type { StuckBlock } from './stuck-block.ts'

export interface ApplierOptions {
  sql: Sql
  chain: string
  consumers: readonly BlockConsumer[]
  /** Deepest reorg that can be undone, in blocks. */
  undoBlocks: number
  /** Whether to number sats in a new index. `auto` does on small chains. */
  satIndex: 'auto' | 'on' | 'off'
  /** Blocks to compute at once, at first; by default, as many as fit into memory. */
  blocksAtOnce?: number
}

/** Consecutive blocks to apply. `target` is the height of the node's tip. */
interface ToApply {
  batch: readonly ChainBlock[]
  target: number
  signal: AbortSignal
  /** Names of optional consumers that record nothing of these blocks. */
  without: ReadonlySet<string>
}

/** Blocks computed from the index at a tip, after a number of changes. */
interface Computed {
  tip: BlockRow | null
  changes: number
  isNumbered: boolean
  prepared: PreparedBlocks
}

/** If the index changed so many times while a batch was computed, the follower locks the index first. */
const MAX_CHANGES = 3
export const ROLLBACK = new Error('trial run')

/** Applies blocks to the index: computes them outside of a transaction, then writes them with the consumers. */
export class BlockApplier {
  private readonly options: ApplierOptions
  private readonly rules: ChainRules
  private readonly stuck: StuckBlock
  private readonly vacuum: SatVacuum
  private readonly sats = new SatFlow()
  /** Blocks that fit into memory at once, as far as known. */
  private fitting: number

  constructor(options: ApplierOptions, stuck: StuckBlock, vacuum: SatVacuum) {
    this.options = options
    this.rules = RULES[options.chain]!
    this.stuck = stuck
    this.vacuum = vacuum
    this.fitting = options.blocksAtOnce ?? Infinity
  }

  /** Applies consecutive blocks. Returns false if they do not connect. Rolls back a trial run. */
  async apply(all: ToApply, mode: 'commit' | 'trial' = 'commit'): Promise<boolean> {
    const { sql } = this.options
    await readEnvelopes(all.batch, all.signal, new Turns())
    let rest = all.batch
    for (let changes = 0; rest.length > 0; ) {
      const read = { ...all, batch: rest.slice(0, this.fitting) }
      const count =
        changes < MAX_CHANGES
          ? await this.writeFirst(await this.computeFirst(sql, read, new Turns()), read, mode)
          : await this.applyLocked(read, mode)
      if (count === null) return false
      if (count === 0) changes++
      // The coins of blocks that do not fit are loaded again later.
      else if (count < read.batch.length) this.fitting = count
      else if (count === this.fitting) this.fitting++
      rest = rest.slice(count)
    }
    return true
  }

  /** Computes blocks while no other process can change the index. */
  private applyLocked(read: ToApply, mode: 'commit' | 'trial'): Promise<number | null> {
    return inTransaction(this.options.sql, async (tx) => {
      await lockIndex(tx)
      const turns = new Turns(() => keepActive(tx))
      return this.write(tx, await this.computeFirst(tx, read, turns), read, mode)
    })
  }

  /** Computes as many blocks as fit into memory. Returns null if they do not connect. */
  private async computeFirst(
    sql: Queryable,
    { batch, target, signal }: ToApply,
    turns: Turns,
  ): Promise<Computed | null> {
    const changes = await findChanges(sql)
    const tip = await findTip(sql)
    if (batch[0]!.height !== (tip?.height ?? -1) + 1)
      throw new Error(
        `block ${batch[0]!.height} is not the next block of the index: another follower is running`,
      )
    let before = tip?.blockHash
    for (const block of batch) {
      if (before !== undefined && block.previousHash !== before) return null
      before = block.hash
    }
    const isNumbered = await this.numbersSats(sql)
    const prepared = await prepareBlocks(sql, batch, {
      tip,
      rules: this.rules,
      sats: isNumbered ? this.sats : null,
      undoFrom: target - this.options.undoBlocks + 1,
      signal,
      turns,
    })
    return { tip, changes, isNumbered, prepared }
  }

  /** Writes computed blocks and returns their number: 0 if the index changed in the meantime. */
  private async writeFirst(
    computed: Computed | null,
    read: ToApply,
    mode: 'commit' | 'trial',
  ): Promise<number | null> {
    if (!computed) return null
    return inTransaction(this.options.sql, async (tx) => {
      await lockIndex(tx)
      if ((await findTip(tx))?.blockHash !== computed.tip?.blockHash) return 0
      if ((await findChanges(tx)) !== computed.changes) return 0
      return this.write(tx, computed, read, mode)
    })
  }

  private async write(
    tx: Transaction,
    computed: Computed | null,
    { signal, without }: ToApply,
    mode: 'commit' | 'trial',
  ): Promise<number | null> {
    if (!computed) return null
    const { tip, isNumbered, prepared } = computed
    if (!tip) await setSatIndex(tx, isNumbered ? 'on' : 'off')
    const seenAt = new Date()
    await raiseUndoFrom(tx, prepared.undoFrom)
    await writeBlocks(tx, prepared)
    for (const { block, ...events } of prepared.blocks)
      for (const consumer of this.options.consumers) {
        signal.throwIfAborted()
        if (without.has(consumer.name)) continue
        const indexed = { ...block, ...events, minedAt: new Date(block.time * 1000), seenAt }
        await consumer.apply(tx, indexed).catch((error: unknown) => {
          throw consumer.isOptional && isRejected(error) ? new RejectedRecords(consumer.name, error) : error
        })
      }
    signal.throwIfAborted()
    if (mode === 'trial') throw ROLLBACK
    await this.stuck.clearIn(tx, prepared.blocks.at(-1)!.block.height)
    this.vacuum.note(prepared.ranges)
    return prepared.blocks.length
  }

  /** Returns whether the index numbers sats. Decided at the first block, because numbering cannot start mid-chain. */
  private async numbersSats(sql: Queryable): Promise<boolean> {
    const { satIndex } = this.options
    const known = await findSatIndex(sql)
    return (known ?? satIndex) === 'on' || (known === null && satIndex === 'auto' && this.rules.isSmall)
  }
}
