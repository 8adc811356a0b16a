import { type ChainRules, firstSatAt } from '@ordbook/bitcoin/chain-rules.ts'
import { envelopesIn, flowCoins } from '@ordbook/bitcoin/coin-flow.ts'
import { Holdings } from '@ordbook/bitcoin/holdings.ts'
import type { Inscribed } from '@ordbook/bitcoin/inscription-events.ts'
import { subsidyAt } from '@ordbook/bitcoin/inscription-flow.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { flowRareSats, type RareMove } from '@ordbook/bitcoin/rare-sats.ts'
import type { RawBlock, RawTransaction } from '@ordbook/bitcoin/raw-block.ts'
import { flowSats, type SatFlow, SatRangeCache } from '@ordbook/bitcoin/sat-ranges.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import {
  type BlockMove,
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
import { listSatRanges, moveSats, saveSatUndo, undoSats } from '../inscriptions/sat-queries.ts'
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

function touchedBy(blocks: readonly ChainBlock[]): { keys: Set<number>; claimed: Set<string> } {
  const keys = new Set<number>()
  const claimed = new Set<string>()
  for (const block of blocks)
    for (const transaction of spending(block)) {
      transaction.forEachSpentKey((key) => keys.add(key))
      if (transaction.mayInscribe)
        for (const { parents } of envelopesIn(transaction)) for (const parent of parents) claimed.add(parent)
    }
  return { keys, claimed }
}

/**
 * Indexes blocks in memory, with one query for the contents of spent outputs and batched writes. `undoFrom` is the lowest height that can
 * be undone. Throws the reason of `signal`.
 */
export async function indexBlocks(
  tx: Transaction,
  blocks: readonly ChainBlock[],
  {
    tip,
    rules,
    sats,
    undoFrom,
    signal,
  }: { tip: BlockRow | null; rules: ChainRules; sats: boolean; undoFrom: number; signal: AbortSignal },
): Promise<Indexed[]> {
  const { keys, claimed } = touchedBy(blocks)
  const coins = await IndexedCoins.load(tx, { keys, inscriptionIds: [...claimed] })
  const rare = new Holdings<{ bornHeight: number; offset: number }>()
  for (const { satOffset: offset, bornHeight, ...at } of await listRareSatsByKey(tx, keys))
    rare.put(at, { bornHeight, offset })
  const cache = sats ? await loadSatRanges(tx, blocks) : null

  const counters = { ...(tip ?? EMPTY_COUNTERS) }
  const rows: BlockRow[] = []
  const inscribed: NewInscriptionRow[] = []
  const moves: BlockMove[] = []
  const satsBefore: Parameters<typeof saveSatChanges>[1][number][] = []
  const rareMoves: { height: number; move: RareMove }[] = []
  const satFlows: { height: number; flow: SatFlow }[] = []
  const indexed: Omit<Indexed, 'batch'>[] = []
  for (const block of blocks) {
    signal.throwIfAborted()
    const { height, transactions } = block
    const subsidySats = subsidyAt(height, rules.halvingInterval)
    const minedAt = new Date(block.time * 1000)
    const flow = cache && flowSats(transactions, { firstSat: firstSatAt(height, rules), subsidySats, cache })
    if (flow) satFlows.push({ height, flow })
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
        flow && !event.unbound ? flow.satOf(event.inscriptionId.slice(0, 64), event.inputOffset) : null
      inscribed.push({ event, sat, height, minedAt })
    }
    const moved = events.moves.map((move) => ({ ...move, height }))
    for (const move of moved) moves.push(move)
    for (const change of coins.takeChanges()) satsBefore.push({ height, ...change })
    rows.push({ ...counters, height, blockHash: block.hash, minedAt })
    indexed.push({ block, inscribed: events.inscribed, moves: moved })
  }
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
  if (cache) {
    await moveSats(tx, cache)
    await saveSatUndo(tx, satFlows, undoFrom)
  }
  const batch = new BatchMoves(moves)
  return indexed.map((block) => ({ ...block, batch }))
}

/** Removes the last block. Returns the ids of watched inscriptions that it moved or created. */
export async function unindexBlock(tx: Transaction, height: number): Promise<string[]> {
  const moved = await listTouchedAt(tx, height)
  const adopted = await forgetAdopted(tx, height)
  const touched = [...moved, ...adopted.inscriptionIds]
  await undoSatChanges(tx, height, adopted.satIds)
  await undoSats(tx, height)
  await undoRareSats(tx, height)
  await deleteBlock(tx, height)
  await updateWatched(tx, touched)
  return touched
}

const spending = (block: ChainBlock): RawTransaction[] => block.transactions.slice(1)

async function loadSatRanges(tx: Transaction, blocks: readonly ChainBlock[]): Promise<SatRangeCache> {
  const cache = new SatRangeCache()
  const createdTxids = new Set<string>()
  const spent: Outpoint[] = []
  for (const block of blocks)
    for (const { txid, outpoints } of block.transactions) {
      createdTxids.add(txid)
      for (const outpoint of outpoints) if (!createdTxids.has(outpoint.txid)) spent.push(outpoint)
    }
  for (const { ranges, ...outpoint } of await listSatRanges(tx, spent)) cache.load(outpoint, ranges)
  return cache
}
