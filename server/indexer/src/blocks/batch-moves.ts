import { formatOutpoint, type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { type BlockMove, listWatchedIn } from '../inscriptions/coin-queries.ts'
import { type ItemNode, ItemTrees, itemAt } from './item-tree.ts'

/** A watched inscription that a block moved. */
export interface WatchedMove {
  inscriptionId: string
  /** Its last move in the block. */
  last: BlockMove
}

type Traced = WatchedMove & { first: BlockMove | null }

/** Watched inscriptions in the coins that a block moved, where they are after the batch. */
interface Watched {
  /** Positions in the batch of the block's moves and of later moves of the same coins, in order. */
  positions: readonly number[]
  items: readonly { inscriptionId: string; key: string; satOffset: number }[]
}

/**
 * Coin moves of a batch, traced per block. The index has only the locations after the batch, so items are traced back from there, together
 * if they are in the same coin. The time is nearly linear in moves and items, even if many items move often.
 */
export class BatchMoves {
  readonly trees = new ItemTrees()
  private readonly moves: readonly BlockMove[]
  private readonly fromKeys: readonly string[]
  private readonly toKeys: readonly string[]
  private readonly byFrom = new Map<string, number[]>()
  private readonly firstOf = new Map<number, number>()
  /** By height. A transaction that is retried reads again. */
  private readonly watched = new WeakMap<Transaction, Map<number, Promise<Watched>>>()

  /** `moves` are in the order of their blocks and transactions. */
  constructor(moves: readonly BlockMove[]) {
    this.moves = moves
    this.fromKeys = moves.map(({ from }) => formatOutpoint(from))
    this.toKeys = moves.map(({ to }) => formatOutpoint(to))
    for (const [n, { height }] of moves.entries()) {
      const key = this.fromKeys[n]!
      const onward = this.byFrom.get(key)
      if (onward) onward.push(n)
      else this.byFrom.set(key, [n])
      if (!this.firstOf.has(height)) this.firstOf.set(height, n)
    }
  }

  /** Returns the watched inscriptions that a block moved, and the transactions that moved them. */
  async watchedIn(tx: Transaction, height: number): Promise<{ moved: WatchedMove[]; txids: Set<string> }> {
    const { traced, txids } = await this.trace(tx, height, new Set())
    return { moved: traced, txids }
  }

  /** Returns the watched inscriptions that a block moved after their last move by `stops`, with the first of these later moves. */
  async watchedAfter(
    tx: Transaction,
    height: number,
    stops: ReadonlySet<string>,
  ): Promise<(WatchedMove & { first: BlockMove })[]> {
    const { traced } = await this.trace(tx, height, stops)
    return traced.flatMap(({ first, ...move }) => (first ? [{ ...move, first }] : []))
  }

  private async trace(
    tx: Transaction,
    height: number,
    stops: ReadonlySet<string>,
  ): Promise<{ traced: Traced[]; txids: Set<string> }> {
    const byHeight = this.watched.get(tx) ?? new Map<number, Promise<Watched>>()
    this.watched.set(tx, byHeight)
    const looked = byHeight.get(height) ?? this.lookUp(tx, height)
    byHeight.set(height, looked)
    const { positions, items } = await looked
    const { trees, txids } = this.traceBack(positions, items, { height, stops })
    const traced: Traced[] = []
    for (const tree of trees.values())
      for (const { item, passage } of this.trees.items(tree)) {
        const { last, first } = passage
        if (last) traced.push({ inscriptionId: items[item]!.inscriptionId, last, first })
      }
    return { traced, txids }
  }

  /** Returns the items by coin before the block, and the transactions of the block that moved them. */
  private traceBack(
    positions: Watched['positions'],
    items: Watched['items'],
    { height, stops }: { height: number; stops: ReadonlySet<string> },
  ): { trees: Map<string, ItemNode>; txids: Set<string> } {
    const { trees: operations } = this
    const txids = new Set<string>()
    const trees = new Map<string, ItemNode>()
    const put = (key: string, tree: ItemNode | null) => {
      if (tree) trees.set(key, tree)
      else trees.delete(key)
    }
    for (const [n, { key, satOffset }] of items.entries())
      put(key, operations.join(trees.get(key) ?? null, itemAt(satOffset, n)))
    for (const n of positions.toReversed()) {
      const tree = trees.get(this.toKeys[n]!)
      if (!tree) continue
      const move = this.moves[n]!
      const [below, rest] = operations.split(tree, move.toOffset)
      const [moved, above] = operations.split(rest, move.toOffset + move.span + 1)
      put(this.toKeys[n]!, operations.join(below, above))
      if (!moved) continue
      const isStopped = stops.has(move.txid)
      if (move.height === height) txids.add(move.txid)
      const passage =
        move.height === height ? { last: move, first: isStopped ? null : move, isStopped } : undefined
      operations.apply(moved, move.fromOffset - move.toOffset, passage)
      const [lower, upper] = operations.split(trees.get(this.fromKeys[n]!) ?? null, move.fromOffset)
      put(this.fromKeys[n]!, operations.join(operations.join(lower, moved), upper))
    }
    return { trees, txids }
  }

  private async lookUp(tx: Transaction, height: number): Promise<Watched> {
    const { positions, ends } = this.reachedFrom(height)
    const found = await listWatchedIn(tx, ends)
    const items = found.map(({ inscriptionId, satOffset, ...outpoint }) => ({
      inscriptionId,
      satOffset,
      key: formatOutpoint(outpoint),
    }))
    items.sort((a, b) => a.satOffset - b.satOffset || (a.inscriptionId < b.inscriptionId ? -1 : 1))
    return { positions, items }
  }

  /** Returns the moves of a block and of the same coins in later blocks, and where the coins are after the batch. */
  private reachedFrom(height: number): { positions: number[]; ends: Outpoint[] } {
    const positions: number[] = []
    const seen = new Set<string>()
    for (let n = this.firstOf.get(height) ?? this.moves.length; this.moves[n]?.height === height; n++) {
      positions.push(n)
      seen.add(this.toKeys[n]!)
    }
    const ends: Outpoint[] = []
    // A Set also iterates elements added during the iteration.
    for (const key of seen) {
      const onward = this.byFrom.get(key)
      if (!onward) ends.push(parseOutpoint(key))
      else
        for (const n of onward) {
          if (this.moves[n]!.height !== height) positions.push(n)
          seen.add(this.toKeys[n]!)
        }
    }
    return { positions: positions.sort((a, b) => a - b), ends }
  }
}
