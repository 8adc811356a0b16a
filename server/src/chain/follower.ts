import {
  flowBlock,
  type Inscribed,
  type InscriptionCounters,
  type Moved,
  subsidyAt,
} from '@ordbook/bitcoin/inscription-flow.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Logger } from 'pino'
import { inTransaction, type Sql, type Transaction } from '../db/connect.ts'
import type { ChainBlock, Node } from './node.ts'
import {
  deleteBlock,
  findBlockHash,
  findTip,
  insertBlock,
  insertInscription,
  insertMove,
  type LocatedRow,
  listLocated,
  lockIndex,
} from './queries.ts'
import { type ChainRules, RULES } from './rules.ts'

/**
 * Reads blocks in order and keeps the index. A block is one database transaction in which the index and every consumer
 * move together, forward or back: whatever line a crash hits, the next start finds the state after some whole block.
 * When the node's chain is no longer ours, blocks are undone until it is, then the new ones are applied.
 */
export interface IndexedBlock {
  height: number
  hash: string
  minedAt: Date
  /** When we heard of it: the time of what our own books do because of it. */
  seenAt: Date
  transactions: ChainBlock['transactions']
  events: readonly (Inscribed | Moved)[]
}

/** Someone who moves with the chain. `apply` comes after the index has moved, `undo` before it moves back. */
export interface BlockConsumer {
  name: string
  apply(tx: Transaction, block: IndexedBlock): Promise<void>
  undo(tx: Transaction, height: number): Promise<void>
}

export interface FollowerOptions {
  sql: Sql
  node: Node
  chain: string
  consumers: readonly BlockConsumer[]
  log: Logger
}

/** How deep a reorg may go before the follower refuses to guess and stops. */
const UNDO_HORIZON = 100

export class Follower {
  private readonly options: FollowerOptions
  private readonly rules: ChainRules

  constructor(options: FollowerOptions) {
    this.options = options
    this.rules = RULES[options.chain]!
  }

  /** Follows the node to its tip. `onProgress` hears of each block. Gives the height reached. */
  async sync(onProgress?: (height: number, target: number) => void): Promise<number> {
    const { sql, node } = this.options
    for (;;) {
      const { blocks: target } = await node.blockchainInfo()
      await this.undoForeign()
      const tip = await findTip(sql)
      const next = tip ? tip.height + 1 : 0
      const hash = next <= target ? await node.blockHash(next) : null
      if (!hash) return next - 1
      const block = await node.block(hash)
      // The chain may have turned between two calls: then the block does not follow ours, and we look again.
      if (tip && block.previousHash !== tip.blockHash) continue
      await this.apply(block)
      onProgress?.(next, target)
    }
  }

  private async undoForeign(): Promise<void> {
    const { sql, node, log } = this.options
    for (let depth = 0; ; depth++) {
      const tip = await findTip(sql)
      if (!tip || (await node.blockHash(tip.height)) === tip.blockHash) return
      if (depth >= UNDO_HORIZON)
        throw new Error(`the chain turned more than ${UNDO_HORIZON} blocks back: reindex`)
      log.warn({ height: tip.height, hash: tip.blockHash }, 'block is no longer in the chain: undoing it')
      await this.undo(tip.height)
    }
  }

  private undo(height: number): Promise<void> {
    return inTransaction(this.options.sql, async (tx) => {
      await lockIndex(tx)
      for (const consumer of this.options.consumers.toReversed()) await consumer.undo(tx, height)
      await deleteBlock(tx, height)
    })
  }

  private apply(block: ChainBlock): Promise<void> {
    return inTransaction(this.options.sql, async (tx) => {
      await lockIndex(tx)
      const { height, hash, minedAt, transactions } = block
      const seenAt = new Date()
      const tip = await findTip(tx)
      if ((tip?.height ?? -1) !== height - 1 || (tip && tip.blockHash !== block.previousHash))
        throw new Error(`block ${height} does not follow the index: another follower is at work`)
      const counters: InscriptionCounters = tip ?? {
        nextSequence: 0,
        blessed: 0,
        cursed: 0,
        unbound: 0,
        lostSats: 0,
      }
      const located = await this.locate(tx, transactions)
      const events =
        height < this.rules.firstInscriptionHeight
          ? []
          : flowBlock(transactions, {
              subsidySats: subsidyAt(height, this.rules.halvingInterval),
              jubilant: height >= this.rules.jubileeHeight,
              counters,
              locate: (outpoint) => located.get(formatOutpoint(outpoint)) ?? [],
            })
      for (const [position, event] of events.entries())
        if (event.kind === 'inscribed') await insertInscription(tx, event, block)
        else await insertMove(tx, event, height, position)
      await insertBlock(tx, { ...counters, height, blockHash: hash, minedAt })
      for (const consumer of this.options.consumers)
        await consumer.apply(tx, { height, hash, minedAt, seenAt, transactions, events })
    })
  }

  private async locate(tx: Transaction, transactions: ChainBlock['transactions']) {
    const inputs: Outpoint[] = transactions.slice(1).flatMap((each) => each.tx.inputs)
    if (inputs.length === 0) return new Map<string, (LocatedRow & { offset: number })[]>()
    const rows = await listLocated(tx, inputs)
    return Map.groupBy(
      rows.map((row) => ({ ...row, offset: row.satOffset })),
      formatOutpoint,
    )
  }
}

/** True when the index holds the node's tip. */
export async function isAtTip(sql: Sql, node: Node): Promise<boolean> {
  const { blocks, bestblockhash } = await node.blockchainInfo()
  return (await findBlockHash(sql, blocks)) === bestblockhash
}
