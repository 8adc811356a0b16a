import { type ChainRules, firstSatAt } from '@ordbook/bitcoin/chain-rules.ts'
import { envelopesIn, flowCoins } from '@ordbook/bitcoin/coin-flow.ts'
import type { Inscribed } from '@ordbook/bitcoin/inscription-events.ts'
import { subsidyAt } from '@ordbook/bitcoin/inscription-flow.ts'
import { flowRareSats, type RareMove, RareSats } from '@ordbook/bitcoin/rare-sats.ts'
import type { RawBlock, RawTransaction } from '@ordbook/bitcoin/raw-block.ts'
import type { SatBlock, SatFlow } from '@ordbook/bitcoin/sat-ropes/flow.ts'
import { OutpointTable } from '@ordbook/bitcoin/sat-ropes/outpoint-table.ts'
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
import type { Turns } from '../turns.ts'
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
  blocks: readonly Indexed[]
  rows: BlockRow[]
  coins: IndexedCoins
  satsBefore: Parameters<typeof saveSatChanges>[1][number][]
  inscribed: NewInscriptionRow[]
  moves: BlockMove[]
  rareMoves: { height: number; move: RareMove }[]
  ranges: SatWrites | null
  undoFrom: number
}

/** A batch ends early if its sat ranges take more memory. A single block may exceed it. Less than what `Ropes.reset` keeps. */
const SAT_BYTES = 32 * 2 ** 20

const EMPTY_COUNTERS = { nextSequence: 0, blessed: 0, cursed: 0, unbound: 0, lostSats: 0 }

/** Parses and caches the envelopes of blocks. Throws the reason of `signal`. */
export async function readEnvelopes(
  blocks: readonly ChainBlock[],
  signal: AbortSignal,
  turns: Turns,
): Promise<void> {
  for (const block of blocks)
    for (const transaction of spending(block)) {
      if (transaction.mayInscribe) envelopesIn(transaction)
      if (!turns.isDue) continue
      await turns.take()
      signal.throwIfAborted()
    }
}

/** Returns the outputs that transactions of earlier blocks have and these spend, and the claimed parents. */
function touchedBy(blocks: readonly ChainBlock[]): { spent: CoinKeys; claimed: Set<string> } {
  const spent: CoinKeys = { keys: [], vouts: [] }
  const claimed = new Set<string>()
  const own = new OutpointTable()
  for (const block of blocks)
    for (const transaction of spending(block)) {
      transaction.forEachSpent((bytes, at, key, vout) => {
        if (own.hasTxid(bytes, at)) return
        spent.keys.push(key)
        spent.vouts.push(vout)
      })
      own.addTxid(transaction.hash, 0)
      if (transaction.mayInscribe)
        for (const { parents } of envelopesIn(transaction)) for (const parent of parents) claimed.add(parent)
    }
  return { spent, claimed }
}

/**
 * Computes blocks in memory. May return only the first blocks. `undoFrom` is the lowest height that can be undone; `sats` is null if the
 * index does not number sats. Throws the reason of `signal`.
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
    turns,
  }: {
    tip: BlockRow | null
    rules: ChainRules
    sats: SatFlow | null
    undoFrom: number
    signal: AbortSignal
    turns: Turns
  },
): Promise<PreparedBlocks> {
  const { spent, claimed } = touchedBy(blocks)
  const coins = await IndexedCoins.load(sql, { spent, inscriptionIds: [...claimed] })
  await coins.openCut(blocks.flatMap(spending))
  const rare = await loadRareSats(sql, spent)
  const satBlocks = blocks.map(({ height, transactions }) => ({
    transactions,
    firstSat: firstSatAt(height, rules),
    subsidySats: subsidyAt(height, rules.halvingInterval),
  }))
  const batch = sats && (await loadSats(sql, sats, satBlocks, { undoFrom, turns }))

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
    for (const move of flowRareSats(transactions, { height, subsidySats, rare }))
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
            turns,
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
  const batchMoves = new BatchMoves(moves)
  const blocksOf = indexed.map((block) => ({ ...block, batch: batchMoves }))
  return { blocks: blocksOf, rows, coins, satsBefore, inscribed, moves, rareMoves, ranges, undoFrom }
}

async function loadRareSats(sql: Queryable, spent: CoinKeys): Promise<RareSats> {
  const rare = new RareSats()
  for (const { satOffset: offset, bornHeight, ...at } of await listRareSatsByKey(sql, new Set(spent.keys)))
    rare.add(bornHeight, { ...at, offset })
  return rare
}

/** Writes prepared blocks, whose predecessor must be the tip. */
export async function writeBlocks(tx: Transaction, prepared: PreparedBlocks): Promise<void> {
  const { rows, coins, satsBefore, inscribed, moves, rareMoves, ranges, undoFrom } = prepared
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
  options: { undoFrom: number; turns: Turns },
): Promise<SatBatch> {
  const stored = new StoredSats(sql)
  return SatBatch.load(stored, flow, blocks, { ...options, nextChunk: await stored.nextChunk() })
}
