import { Holdings } from '@ordbook/bitcoin/holdings.ts'
import {
  flowBlock,
  type Inscribed,
  type Located,
  type Moved,
  subsidyAt,
} from '@ordbook/bitcoin/inscription-flow.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { flowRareSats, type RareMove } from '@ordbook/bitcoin/rare-sats.ts'
import type { RawBlock, RawTransaction } from '@ordbook/bitcoin/raw-block.ts'
import { flowSats, Satchel, type SatFlow } from '@ordbook/bitcoin/sat-ranges.ts'
import type { Transaction } from '../db/connect.ts'
import { deleteAdopted } from './adopt-queries.ts'
import {
  type BlockRow,
  deleteBlock,
  dropRareSatUndo,
  insertBlocks,
  insertInscriptions,
  insertMoves,
  listLocatedByKey,
  listRareSatsByKey,
  listTouchedAt,
  type MoveRow,
  moveRareSats,
  type NewInscriptionRow,
  undoRareSats,
} from './queries.ts'
import { type ChainRules, firstSatAt } from './rules.ts'
import { keepSatUndo, listSatRanges, moveSats, undoSats } from './sat-queries.ts'

/** A block of the chain, at its height. */
export interface ChainBlock extends RawBlock {
  height: number
}

/** What the index made of a block. */
export interface Indexed {
  block: ChainBlock
  events: readonly (Inscribed | Moved)[]
}

/** An empty index. */
const NOTHING = { nextSequence: 0, blessed: 0, cursed: 0, unbound: 0, lostSats: 0 }

/**
 * Carries the index through some blocks, one after the other: what the outputs that they spend hold is looked up once for
 * all of them, the blocks are run in memory, and what has changed in the end is written in batches. `undoFrom` is the
 * lowest height that may still be undone. Throws the reason of `signal` once that is aborted.
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
  const keys = new Set<number>()
  for (const block of blocks)
    for (const transaction of spending(block)) transaction.forEachSpentKey((key) => keys.add(key))
  const located = new Holdings<Located>()
  for (const { satOffset: offset, ...row } of await listLocatedByKey(tx, keys))
    located.put(row, { ...row, offset })
  const rare = new Holdings<{ bornHeight: number; offset: number }>()
  for (const { satOffset: offset, bornHeight, ...at } of await listRareSatsByKey(tx, keys))
    rare.put(at, { bornHeight, offset })
  const satchel = sats ? await fillSatchel(tx, blocks) : null

  const counters = { ...(tip ?? NOTHING) }
  const rows: BlockRow[] = []
  const inscribed: NewInscriptionRow[] = []
  const moved: MoveRow[] = []
  const rareMoves: { height: number; move: RareMove }[] = []
  const satFlows: { height: number; flow: SatFlow }[] = []
  const indexed: Indexed[] = []
  for (const block of blocks) {
    signal.throwIfAborted()
    const { height, transactions } = block
    const subsidySats = subsidyAt(height, rules.halvingInterval)
    const minedAt = new Date(block.time * 1000)
    const flow =
      satchel && flowSats(transactions, { firstSat: firstSatAt(height, rules), subsidySats, satchel })
    if (flow) satFlows.push({ height, flow })
    for (const move of flowRareSats(transactions, { height, subsidySats, located: rare }))
      rareMoves.push({ height, move })
    const jubilant = height >= rules.jubileeHeight
    const events =
      height < rules.firstInscriptionHeight
        ? []
        : flowBlock(transactions, { subsidySats, jubilant, counters, located })
    for (const [position, event] of events.entries())
      if (event.kind === 'moved') moved.push({ event, height, position })
      else {
        const sat =
          flow && !event.unbound ? flow.satOf(event.inscriptionId.slice(0, 64), event.inputOffset) : null
        inscribed.push({ event, sat, height, minedAt })
      }
    rows.push({ ...counters, height, blockHash: block.hash, minedAt })
    indexed.push({ block, events })
  }
  await insertBlocks(tx, rows)
  await insertInscriptions(tx, inscribed)
  await insertMoves(tx, moved)
  await moveRareSats(tx, rareMoves, undoFrom)
  await dropRareSatUndo(tx, undoFrom)
  if (satchel) {
    await moveSats(tx, satchel)
    await keepSatUndo(tx, satFlows, undoFrom)
  }
  return indexed
}

/** Takes the last block out of the index; gives the inscriptions that it moved or made. */
export async function unindexBlock(tx: Transaction, height: number): Promise<string[]> {
  const touched = [...(await listTouchedAt(tx, height)), ...(await deleteAdopted(tx, height))]
  await undoSats(tx, height)
  await undoRareSats(tx, height)
  await deleteBlock(tx, height)
  return touched
}

const spending = (block: ChainBlock): RawTransaction[] => block.transactions.slice(1)

/** The sats of every output that the blocks spend and that was there before them. */
async function fillSatchel(tx: Transaction, blocks: readonly ChainBlock[]): Promise<Satchel> {
  const satchel = new Satchel()
  const own = new Set<string>()
  const wanted: Outpoint[] = []
  for (const block of blocks)
    for (const { txid, outpoints } of block.transactions) {
      own.add(txid)
      for (const outpoint of outpoints) if (!own.has(outpoint.txid)) wanted.push(outpoint)
    }
  for (const { ranges, ...outpoint } of await listSatRanges(tx, wanted)) satchel.fill(outpoint, ranges)
  return satchel
}
