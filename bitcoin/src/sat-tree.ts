import { LOST, type Outpoint, UNBOUND } from './outpoint.ts'
import type { TxOutput } from './transaction.ts'

/**
 * A node of a height-balanced (AVL) tree of inscribed sats, ordered by offset. Offsets are relative to the parent, so moving a coin
 * changes one node. Splits and joins change about log n nodes. The shape follows from the splits and joins alone, and is balanced
 * whatever the transactions are.
 */
export interface SatNode {
  /** Sequence of the sat's first inscription. */
  id: number
  /** Number of levels of the subtree; 1 without children. */
  levels: number
  /** Null for a root and for the root of a piece that is in no coin: spent by the current transaction, or in the fees of the block. */
  parent: SatNode | null
  /** Distance from the parent's sat, or from the start of the output for a root. */
  offset: number
  first: number
  /** Location of the tree. Set only for a root. */
  place: SatPlace | null
  /** Whether the first inscription is cursed or vindicated, so that the sat can be reinscribed once without a curse. */
  isCursed: boolean
  isReinscribed: boolean
  /** Whether the children are loaded. */
  isOpen: boolean
  left: SatNode | null
  right: SatNode | null
}

interface SatPlace {
  outpoint: Outpoint
  /** Null if the sats are lost or unbound. */
  output: TxOutput | null
  /** Offsets of the first and last sat. */
  low: number
  high: number
}

export interface SatRow {
  parentId: number | null
  levels: number
  offset: number
  first: number
  place: SatPlace | null
}

/** A computation that yields nodes whose children must be loaded. */
export type Opening<T> = Generator<readonly SatNode[], T, void>

/** A subtree with the position of its root. */
interface Part {
  node: SatNode
  at: number
}

/** A tree with the positions of its first and last sat. */
export interface Piece extends Part {
  low: number
  high: number
}

/** Runs a computation in memory. Throws TypeError if a node is not loaded. */
export function inMemory<T>(steps: Opening<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    for (const { id } of step.value) throw new TypeError(`the sats below ${id} are not loaded`)
  }
}

/** Operations on trees of sats. Records changed nodes. */
export class SatTrees {
  private changed = new Map<SatNode, SatRow | null>()
  /** Number of visited nodes. */
  steps = 0

  /** Creates a node for a newly inscribed sat. The first inscription sets its id. */
  make(isCursed: boolean): SatNode {
    const node: SatNode = {
      id: 0,
      levels: 1,
      parent: null,
      offset: 0,
      first: 0,
      place: null,
      isCursed,
      isReinscribed: false,
      isOpen: true,
      left: null,
      right: null,
    }
    this.changed.set(node, null)
    return node
  }

  /** Returns and clears the changed nodes with their previous rows. New nodes have null. */
  takeChanges(): Map<SatNode, SatRow | null> {
    const changes = this.changed
    this.changed = new Map()
    for (const [node, before] of changes) if (before && isSame(before, rowOf(node))) changes.delete(node)
    return changes
  }

  put({ node, at, low, high }: Piece, start: number, outpoint: Outpoint, output: TxOutput | null): void {
    this.touch(node)
    node.parent = null
    node.offset = at - start
    node.place = { outpoint, output, low: low - start, high: high - start }
  }

  *split(piece: Piece, position: number): Opening<[Piece, Piece]> {
    const edge = { before: piece.low, after: piece.high }
    const [left, right] = yield* this.cut(piece, position, edge)
    return [
      { ...left!, low: piece.low, high: edge.before },
      { ...right!, low: edge.after, high: piece.high },
    ]
  }

  /** Joins two adjacent pieces. */
  *join(left: Piece, right: Piece): Opening<Piece> {
    const [middle, rest] = yield* this.takeFirst(right)
    return { ...(yield* this.link(left, middle, rest)), low: left.low, high: right.high }
  }

  private *cut(
    part: Part,
    position: number,
    edge: { before: number; after: number },
  ): Opening<[Part | null, Part | null]> {
    const [left, right] = yield* this.detachChildren(part)
    if (part.at >= position) {
      edge.after = part.at
      const [before, after] = left ? yield* this.cut(left, position, edge) : [null, null]
      return [before, yield* this.link(after, part, right)]
    }
    edge.before = part.at
    const [before, after] = right ? yield* this.cut(right, position, edge) : [null, null]
    return [yield* this.link(left, part, before), after]
  }

  private *takeFirst(part: Part): Opening<[Part, Part | null]> {
    const [left, right] = yield* this.detachChildren(part)
    if (!left) return [part, right]
    const [first, rest] = yield* this.takeFirst(left)
    return [first, yield* this.link(rest, part, right)]
  }

  /**
   * Joins two balanced trees and a node between them (Blelloch, Ferizovic and Sun, "Just Join for Parallel Ordered Sets"). Visits as many
   * levels as the heights differ by.
   */
  private *link(left: Part | null, middle: Part, right: Part | null): Opening<Part> {
    const difference = levelsOf(left) - levelsOf(right)
    if (left && difference > 1) {
      const [outer, inner] = yield* this.detachChildren(left)
      const joined = yield* this.link(inner, middle, right)
      if (joined.node.levels <= levelsOf(outer) + 1) return this.attach(left, outer, joined)
      // `joined` is one level too high: rotate.
      const [first, second] = yield* this.detachChildren(joined)
      if (levelsOf(first) <= levelsOf(second))
        return this.attach(joined, this.attach(left, outer, first), second)
      const [before, after] = yield* this.detachChildren(first!)
      return this.attach(first!, this.attach(left, outer, before), this.attach(joined, after, second))
    }
    if (right && difference < -1) {
      const [inner, outer] = yield* this.detachChildren(right)
      const joined = yield* this.link(left, middle, inner)
      if (joined.node.levels <= levelsOf(outer) + 1) return this.attach(right, joined, outer)
      const [first, second] = yield* this.detachChildren(joined)
      if (levelsOf(second) <= levelsOf(first))
        return this.attach(joined, first, this.attach(right, second, outer))
      const [before, after] = yield* this.detachChildren(second!)
      return this.attach(second!, this.attach(joined, first, before), this.attach(right, after, outer))
    }
    return this.attach(middle, left, right)
  }

  /** Makes the children of a node roots. Only here do nodes lose their parent, so a sat that was cut off has no path to its former coin. */
  private *detachChildren({ node, at }: Part): Opening<[Part | null, Part | null]> {
    if (!node.isOpen) yield [node]
    this.steps++
    const { left, right } = node
    node.left = node.right = null
    return [this.detach(left, at), this.detach(right, at)]
  }

  private detach(child: SatNode | null, parentAt: number): Part | null {
    if (!child) return null
    this.touch(child)
    child.parent = null
    return { node: child, at: parentAt + child.offset }
  }

  private attach(part: Part, left: Part | null, right: Part | null): Part {
    const { node, at } = part
    node.left = this.adopt(left, node, at)
    node.right = this.adopt(right, node, at)
    const levels = 1 + Math.max(levelsOf(left), levelsOf(right))
    const first = Math.min(node.id, left?.node.first ?? node.id, right?.node.first ?? node.id)
    if (first === node.first && levels === node.levels) return part
    this.touch(node)
    node.first = first
    node.levels = levels
    return part
  }

  private adopt(child: Part | null, parent: SatNode, parentAt: number): SatNode | null {
    if (!child) return null
    const { node, at } = child
    this.touch(node)
    node.parent = parent
    node.offset = at - parentAt
    node.place = null
    return node
  }

  private touch(node: SatNode): void {
    if (!this.changed.has(node)) this.changed.set(node, rowOf(node))
  }
}

const levelsOf = (part: Part | null): number => part?.node.levels ?? 0

/** Returns the node at a position, or null. */
export function* findSat(piece: Piece, position: number): Opening<SatNode | null> {
  let node: SatNode | null = piece.node
  for (let { at } = piece; node; at += node?.offset ?? 0) {
    if (at === position) return node
    if (!node.isOpen) yield [node]
    node = position < at ? node.left : node.right
  }
  return null
}

/** Returns the root and the offset in the output. */
export function placeOfSat(node: SatNode): { root: SatNode; offset: number } {
  let offset = node.offset
  let root = node
  for (; root.parent; offset += root.offset) root = root.parent
  return { root, offset }
}

export const rowOf = ({ parent, levels, offset, first, place }: SatNode): SatRow => ({
  parentId: parent ? parent.id : null,
  levels,
  offset,
  first,
  place,
})

function isSame(a: SatRow, b: SatRow): boolean {
  return (
    a.parentId === b.parentId &&
    a.levels === b.levels &&
    a.offset === b.offset &&
    a.first === b.first &&
    a.place === b.place
  )
}

/** A move of adjacent inscribed sats. */
export interface CoinMove {
  txid: string
  /** Index of the transaction in the block. Fees move in the coinbase, at 0. */
  transactionIndex: number
  from: Outpoint
  fromOutput: TxOutput
  /** Offset of the first sat, and its distance to the last sat. */
  fromOffset: number
  span: number
  to: Outpoint
  toOutput: TxOutput | null
  toOffset: number
  first: number
}

/** Returns true for `LOST` and `UNBOUND`, which are never spent. */
export const isNowhere = ({ txid }: Outpoint): boolean => txid === LOST.txid || txid === UNBOUND.txid
