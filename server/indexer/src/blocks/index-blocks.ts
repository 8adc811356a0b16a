import { type ChainRules, firstSatAt } from '@ordbook/bitcoin/chain-rules.ts'
import { envelopesIn, flowCoins } from '@ordbook/bitcoin/coin-flow.ts'
import { Holdings } from '@ordbook/bitcoin/holdings.ts'
import type { Inscribed } from '@ordbook/bitcoin/inscription-events.ts'
import { subsidyAt } from '@ordbook/bitcoin/inscription-flow.ts'
import { flowRareSats, type RareMove } from '@ordbook/bitcoin/rare-sats.ts'
import type { RawBlock, RawTransaction } from '@ordbook/bitcoin/raw-block.ts'
import type { SatBlock, SatFlow } from '@ordbook/bitcoin/sat-ropes/flow.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import {
  type BlockMove,
  type CoinKeys,
  dropSatUndo,
  insertMoves,
  listTouchedAt,
  saveSatChanges,
  undoSatChanges,
  updateWatched,
  updateWatchedIn,
} from '../inscriptions/coin-queries.ts'
import { IndexedCoins } from '../inscriptions/indexed-coins.ts'
import {
  type BlockRow,
  deleteBlock,
  dropRareSatUndo,
  insertBlocks,
  insertInscriptions,
  listRareSatsByKey,
  moveRareSats,
  type NewInscriptionRow,
  undoRareSats,
} from '../inscriptions/queries.ts'
import { SatBatch, type SatWrites } from '../sats/sat-batch.ts'
import { StoredSats, undoSatRanges, writeSatRanges } from '../sats/sat-queries.ts'
import { forgetAdopted } from './adopt-coins.ts'
import { BatchMoves } from './batch-moves.ts'

export interface ChainBlock extends RawBlock {
  height: number
}

export interface Indexed {
  block: ChainBlock
  /** In order of inscription number, like ord. */
  inscribed: readonly Inscribed[]
  moves: readonly BlockMove[]
  batch: BatchMoves
}

/** Blocks that are computed and not yet written. */
export interface PreparedBlocks {
  blocks: readonly Omit<Indexed, 'batch'>[]
  rows: BlockRow[]
  coins: IndexedCoins
  satsBefore: Parameters<typeof saveSatChanges>[1][number][]
  inscribed: NewInscriptionRow[]
  moves: BlockMove[]
  rareMoves: { height: number; move: RareMove }[]
  ranges: SatWrites | null
  undoFrom: number
}

/** A batch ends early if its sat ranges take more memory. A single block may exceed it. */
const SAT_BYTES = 64 * 2 ** 20

const EMPTY_COUNTERS = { nextSequence: 0, blessed: 0, cursed: 0, unbound: 0, lostSats: 0 }

/**
 * Parses and caches the envelopes of blocks. Call it before opening a transaction, which PostgreSQL ends if it is idle for long. Throws the
 * reason of `signal`.
 */
export function readEnvelopes(blocks: readonly ChainBlock[], signal: AbortSignal): void {
  for (const block of blocks) {
    signal.throwIfAborted()
    for (const transaction of spending(block)) if (transaction.mayInscribe) envelopesIn(transaction)
  }
}

function touchedBy(blocks: readonly ChainBlock[]): { spent: CoinKeys; claimed: Set<string> } {
  const spent: CoinKeys = { keys: [], vouts: [] }
  const claimed = new Set<string>()
  for (const block of blocks)
    for (const transaction of spending(block)) {
      transaction.forEachSpent((key, vout) => {
        spent.keys.push(key)
        spent.vouts.push(vout)
      })
      if (transaction.mayInscribe)
        for (const { parents } of envelopesIn(transaction)) for (const parent of parents) claimed.add(parent)
    }
  return { spent, claimed }
}

/**
 * Computes blocks in memory, with one query for the contents of spent outputs. Call it before the transaction, which PostgreSQL ends if it
 * is idle for long. May return only the first blocks. `undoFrom` is the lowest height that can be undone; `sats` is null if the index does
 * not number sats. Throws the reason of `signal`.
 */
export async function prepareBlocks(
  sql: Queryable,
  blocks: readonly ChainBlock[],
  {
    tip,
    rules,
    sats,
    undoFrom,
    signal,
  }: {
    tip: BlockRow | null
    rules: ChainRules
    sats: SatFlow | null
    undoFrom: number
    signal: AbortSignal
  },
): Promise<PreparedBlocks> {
  const { spent, claimed } = touchedBy(blocks)
  const coins = await IndexedCoins.load(sql, { spent, inscriptionIds: [...claimed] })
  const rare = new Holdings<{ bornHeight: number; offset: number }>()
  for (const { satOffset: offset, bornHeight, ...at } of await listRareSatsByKey(sql, new Set(spent.keys)))
    rare.put(at, { bornHeight, offset })
  const satBlocks = blocks.map(({ height, transactions }) => ({
    transactions,
    firstSat: firstSatAt(height, rules),
    subsidySats: subsidyAt(height, rules.halvingInterval),
  }))
  const batch = sats && (await loadSats(sql, sats, satBlocks, undoFrom))

  const counters = { ...(tip ?? EMPTY_COUNTERS) }
  const rows: BlockRow[] = []
  const inscribed: NewInscriptionRow[] = []
  const moves: BlockMove[] = []
  const satsBefore: PreparedBlocks['satsBefore'] = []
  const rareMoves: PreparedBlocks['rareMoves'] = []
  const indexed: Omit<Indexed, 'batch'>[] = []
  for (const [n, block] of blocks.entries()) {
    signal.throwIfAborted()
    if (n > 0 && batch && batch.bytes > SAT_BYTES) break
    const { height, transactions } = block
    const { subsidySats } = satBlocks[n]!
    const minedAt = new Date(block.time * 1000)
    await batch?.apply(height, satBlocks[n]!)
    for (const move of flowRareSats(transactions, { height, subsidySats, located: rare }))
      rareMoves.push({ height, move })
    const jubilant = height >= rules.jubileeHeight
    const events =
      height < rules.firstInscriptionHeight
        ? { inscribed: [], moves: [] }
        : await coins.run(
            flowCoins(transactions, {
              subsidySats,
              jubilant,
              counters,
              coins,
              trees: coins.trees,
              parents: coins.parents,
            }),
          )
    for (const event of events.inscribed) {
      const sat =
        batch && !event.unbound
          ? await batch.satOf(event.inscriptionId.slice(0, 64), event.inputOffset)
          : null
      inscribed.push({ event, sat, height, minedAt })
    }
    const moved = events.moves.map((move) => ({ ...move, height }))
    for (const move of moved) moves.push(move)
    for (const change of coins.takeChanges()) satsBefore.push({ height, ...change })
    rows.push({ ...counters, height, blockHash: block.hash, minedAt })
    indexed.push({ block, inscribed: events.inscribed, moves: moved })
  }
  const ranges = batch?.finish() ?? null
  return { blocks: indexed, rows, coins, satsBefore, inscribed, moves, rareMoves, ranges, undoFrom }
}

/** Writes prepared blocks, whose predecessor must be the tip. */
export async function writeBlocks(tx: Transaction, prepared: PreparedBlocks): Promise<Indexed[]> {
  const { blocks, rows, coins, satsBefore, inscribed, moves, rareMoves, ranges, undoFrom } = prepared
  await insertBlocks(tx, rows)
  await coins.write(tx)
  await saveSatChanges(
    tx,
    satsBefore.filter(({ height }) => height >= undoFrom),
  )
  await dropSatUndo(tx, undoFrom)
  await insertInscriptions(tx, inscribed)
  await insertMoves(tx, moves)
  await updateWatchedIn(tx, coins.spent())
  await moveRareSats(tx, rareMoves, undoFrom)
  await dropRareSatUndo(tx, undoFrom)
  if (ranges) await writeSatRanges(tx, ranges, undoFrom)
  const batch = new BatchMoves(moves)
  return blocks.map((block) => ({ ...block, batch }))
}

/** Removes the last block. Returns the ids of watched inscriptions that it moved or created. */
export async function unindexBlock(tx: Transaction, height: number): Promise<string[]> {
  const moved = await listTouchedAt(tx, height)
  const adopted = await forgetAdopted(tx, height)
  const touched = [...moved, ...adopted.inscriptionIds]
  await undoSatChanges(tx, height, adopted.satIds)
  await undoSatRanges(tx, height)
  await undoRareSats(tx, height)
  await deleteBlock(tx, height)
  await updateWatched(tx, touched)
  return touched
}

const spending = (block: ChainBlock): RawTransaction[] => block.transactions.slice(1)

async function loadSats(
  sql: Queryable,
  flow: SatFlow,
  blocks: readonly SatBlock[],
  undoFrom: number,
): Promise<SatBatch> {
  const stored = new StoredSats(sql)
  return SatBatch.load(stored, flow, blocks, { undoFrom, nextChunk: await stored.nextChunk() })
}
