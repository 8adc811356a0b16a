import { LOST, type Outpoint, UNBOUND } from './outpoint.ts'
import type { TxOutput } from './transaction.ts'

/**
 * A node of a treap of inscribed sats: a search tree by offset, and a heap by random priority. Offsets are relative to the parent, so
 * moving a coin changes one node. Splits and joins change about log n nodes. The shape depends only on sats and priorities, so undoing a
 * block restores every node.
 */
export interface SatNode {
  /** Sequence of the sat's first inscription. */
  id: number
  priority: number
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
  offset: number
  first: number
  place: SatPlace | null
}

/** A computation that yields nodes whose children must be loaded. */
export type Opening<T> = Generator<SatNode, T, void>

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
  const step = steps.next()
  if (!step.done) throw new TypeError(`the sats below ${step.value.id} are not loaded`)
  return step.value
}

/** Operations on trees of sats. Records changed nodes. */
export class SatTrees {
  private changed = new Map<SatNode, SatRow | null>()

  /** Creates a node for a newly inscribed sat. The first inscription sets its id. */
  make(isCursed: boolean): SatNode {
    const [high, low] = crypto.getRandomValues(new Uint32Array(2))
    const node: SatNode = {
      id: 0,
      priority: (high! & 0x1fffff) * 2 ** 32 + low!,
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
    return { ...(yield* this.meld(left, right)), low: left.low, high: right.high }
  }

  private *cut(
    { node, at }: Part,
    position: number,
    edge: { before: number; after: number },
  ): Opening<[Part | null, Part | null]> {
    if (!node.isOpen) yield node
    const side = at >= position ? 'left' : 'right'
    edge[side === 'left' ? 'after' : 'before'] = at
    const child = node[side]
    const [left, right] = child
      ? yield* this.cut({ node: child, at: at + child.offset }, position, edge)
      : [null, null]
    this.link({ node, at }, side, side === 'left' ? right : left)
    return side === 'left' ? [left, { node, at }] : [{ node, at }, right]
  }

  private *meld(left: Part, right: Part): Opening<Part> {
    const [upper, side, lower] =
      left.node.priority > right.node.priority
        ? ([left, 'right', right] as const)
        : ([right, 'left', left] as const)
    const { node, at } = upper
    if (!node.isOpen) yield node
    const child = node[side]
    const inner = child && { node: child, at: at + child.offset }
    const joined = inner ? yield* side === 'right' ? this.meld(inner, lower) : this.meld(lower, inner) : lower
    this.link(upper, side, joined)
    return upper
  }

  private link({ node, at }: Part, side: 'left' | 'right', child: Part | null): void {
    node[side] = child ? child.node : null
    if (child && (child.node.parent !== node || child.node.offset !== child.at - at || child.node.place)) {
      this.touch(child.node)
      child.node.parent = node
      child.node.offset = child.at - at
      child.node.place = null
    }
    const first = Math.min(node.id, node.left?.first ?? node.id, node.right?.first ?? node.id)
    if (first === node.first) return
    this.touch(node)
    node.first = first
  }

  private touch(node: SatNode): void {
    if (!this.changed.has(node)) this.changed.set(node, rowOf(node))
  }
}

/** Returns the node at a position, or null. */
export function* findSat(piece: Piece, position: number): Opening<SatNode | null> {
  let node: SatNode | null = piece.node
  for (let { at } = piece; node; at += node?.offset ?? 0) {
    if (at === position) return node
    if (!node.isOpen) yield node
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

export const rowOf = ({ parent, offset, first, place }: SatNode): SatRow => ({
  parentId: parent ? parent.id : null,
  offset,
  first,
  place,
})

function isSame(a: SatRow, b: SatRow): boolean {
  return a.parentId === b.parentId && a.offset === b.offset && a.first === b.first && a.place === b.place
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
