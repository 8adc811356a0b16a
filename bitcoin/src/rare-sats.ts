import { Holdings } from './holdings.ts'
import type { Outpoint } from './outpoint.ts'
import type { BlockTransaction } from './raw-block.ts'
import { landings } from './sat-flow.ts'
import { inMemory, type Piece, type SatNode, SatTrees } from './sat-tree.ts'
import type { TxOutput } from './transaction.ts'

/** An uncommon or rarer sat: the first sat of a block (ord handbook, "Ordinal Theory"). */
interface RareSat {
  /** Height of its block. */
  bornHeight: number
  /** Null if the sat was lost. */
  at: (Outpoint & { offset: number }) | null
}

export interface RareMove {
  bornHeight: number
  /** Null if the block created the sat. */
  from: RareSat['at']
  to: RareSat['at']
}

/** The rare sats of outputs: one tree per output, with the heights as ids. Moving a whole output takes constant time. */
export class RareSats {
  readonly trees = new SatTrees()
  private readonly roots = new Holdings<SatNode>()
  private readonly places = new Map<number, RareSat['at']>()
  /** Outputs that received sats since the last call of `takeMoves`, and the sats that were lost. */
  private readonly filled = new Map<SatNode, Outpoint>()
  private readonly lost: Piece[] = []

  /** Adds a stored sat. */
  add(bornHeight: number, { txid, vout, offset }: Outpoint & { offset: number }): void {
    this.places.set(bornHeight, { txid, vout, offset })
    this.filled.delete(this.lay(this.make(bornHeight, offset), 0, { txid, vout }, null))
  }

  /** Creates a sat at a position. */
  make(bornHeight: number, at: number): Piece {
    const node = this.trees.make(false)
    node.id = node.first = bornHeight
    return { node, at, low: at, high: at }
  }

  /** Returns false if no output of the transaction has rare sats. Takes a `keyOfTxid` key. */
  has(key: number): boolean {
    return this.roots.has(key)
  }

  /** Removes the sats of an output. Returns them at their offsets plus `start`, or null. */
  take(outpoint: Outpoint, start: number): Piece | null {
    const [root] = this.roots.take(outpoint)
    if (!root) return null
    this.filled.delete(root)
    const { low, high } = root.place!
    return { node: root, at: root.offset + start, low: low + start, high: high + start }
  }

  /**
   * Lays sats, which are in order, into outputs. Returns the rest, relative to the end of the outputs. Cuts and joins take about log n
   * steps.
   */
  land(txid: string, outputs: readonly TxOutput[], pieces: readonly Piece[]): Piece[] {
    const landing = landings(outputs)
    const rest: Piece[] = []
    for (let piece of pieces)
      for (;;) {
        const destination = landing(piece.low)
        if ('feeOffset' in destination) {
          rest.push(shifted(piece, destination.feeOffset - piece.low))
          break
        }
        const start = piece.low - destination.offset
        const end = start + outputs[destination.vout]!.valueSats
        const outpoint = { txid, vout: destination.vout }
        if (piece.high < end) {
          this.lay(piece, start, outpoint, outputs[destination.vout]!)
          break
        }
        const [inside, beyond] = inMemory(this.trees.split(piece, end))
        this.lay(inside, start, outpoint, outputs[destination.vout]!)
        piece = beyond
      }
    return rest
  }

  lose(piece: Piece): void {
    this.lost.push(piece)
  }

  /** Returns the sats that moved since the last call. */
  takeMoves(): RareMove[] {
    const moves: RareMove[] = []
    const move = (bornHeight: number, to: RareSat['at']) => {
      moves.push({ bornHeight, from: this.places.get(bornHeight) ?? null, to })
      this.places.set(bornHeight, to)
    }
    for (const [root, outpoint] of this.filled)
      for (const { id, offset } of satsOf(root, root.offset)) move(id, { ...outpoint, offset })
    for (const { node, at } of this.lost) for (const { id } of satsOf(node, at)) move(id, null)
    this.filled.clear()
    this.lost.length = 0
    this.trees.takeChanges()
    return moves
  }

  /** Adds sats to an output that starts at `start`. Returns the root. */
  private lay(piece: Piece, start: number, outpoint: Outpoint, output: TxOutput | null): SatNode {
    const before = this.take(outpoint, start)
    const joined = before ? this.joined(before, piece) : piece
    this.trees.put(joined, start, outpoint, output)
    this.roots.put(outpoint, joined.node)
    this.filled.set(joined.node, outpoint)
    return joined.node
  }

  /** Stored sats of an output come in any order, and two coinbase transactions of the chain have the txid of an earlier one. */
  private joined(a: Piece, b: Piece): Piece {
    const { trees } = this
    if (a.high <= b.low) return inMemory(trees.join(a, b))
    if (b.high <= a.low) return inMemory(trees.join(b, a))
    let whole = a
    for (const { id, offset } of [...satsOf(b.node, b.at)])
      whole = this.inserted(whole, this.make(id, offset))
    return whole
  }

  private inserted(whole: Piece, sat: Piece): Piece {
    const { trees } = this
    if (whole.high <= sat.at) return inMemory(trees.join(whole, sat))
    if (sat.at <= whole.low) return inMemory(trees.join(sat, whole))
    const [left, right] = inMemory(trees.split(whole, sat.at))
    return inMemory(trees.join(inMemory(trees.join(left, sat)), right))
  }
}

const shifted = ({ node, at, low, high }: Piece, by: number): Piece => ({
  node,
  at: at + by,
  low: low + by,
  high: high + by,
})

function* satsOf(node: SatNode, offset: number): Generator<{ id: number; offset: number }> {
  yield { id: node.id, offset }
  for (const child of [node.left, node.right]) if (child) yield* satsOf(child, offset + child.offset)
}

/** Returns the moves of rare sats in a block. Updates `rare`, the sats of spent outputs. */
export function flowRareSats(
  transactions: readonly BlockTransaction[],
  { height, subsidySats, rare }: { height: number; subsidySats: number; rare: RareSats },
): RareMove[] {
  const reward: Piece[] = subsidySats > 0 ? [rare.make(height, 0)] : []
  let rewardSats = subsidySats
  const [coinbase, ...rest] = transactions
  for (const transaction of rest) {
    if (transaction.spendsOf(rare)) {
      const { tx, prevouts } = transaction
      const pieces: Piece[] = []
      let start = 0
      for (const [index, { txid, vout }] of tx.inputs.entries()) {
        const piece = rare.take({ txid, vout }, start)
        if (piece) pieces.push(piece)
        start += prevouts[index]!.valueSats
      }
      if (pieces.length > 0)
        for (const piece of rare.land(transaction.txid, tx.outputs, pieces))
          reward.push(shifted(piece, rewardSats))
    }
    rewardSats += transaction.feeSats
  }
  for (const piece of rare.land(coinbase!.txid, coinbase!.tx.outputs, reward)) rare.lose(piece)
  return rare.takeMoves()
}
