import { LOST, type Outpoint, UNBOUND } from './outpoint.ts'
import type { TxOutput } from './transaction.ts'

/**
 * The inscribed sats of a coin as a treap: a binary search tree by offset, and a heap by a random priority that no inscriber can predict.
 * Offsets are relative to the parent, so moving a whole coin changes one node. Splitting a coin with n inscribed sats, or joining two,
 * changes about log n nodes. An inscription refers to its sat permanently and does not change when it moves. The shape of a treap depends
 * only on its sats and their priorities, so undoing a block restores every node exactly.
 */
export interface SatNode {
  /** The sequence of the first inscription on the sat. */
  id: number
  priority: number
  parent: SatNode | null
  /** Sats from the parent's sat; of a root, from the first of its output. */
  offset: number
  /** The lowest id in the subtree. */
  first: number
  /** The place of the tree; null except at its root. */
  place: SatPlace | null
  /** The first inscription on the sat is cursed or vindicated: it may be inscribed once more without a curse. */
  isCursed: boolean
  /** More than one inscription is on the sat. */
  isReinscribed: boolean
  /** False until the children are in memory. */
  isOpen: boolean
  left: SatNode | null
  right: SatNode | null
}

interface SatPlace {
  outpoint: Outpoint
  /** The output that holds the sats; null when they are lost or unbound. */
  output: TxOutput | null
  /** Offsets in the output of the first and of the last sat in the tree. */
  low: number
  high: number
}

/** A node as it is stored. */
export interface SatRow {
  parentId: number | null
  offset: number
  first: number
  place: SatPlace | null
}

/** A step that requests the children of a closed node, and continues once they are loaded. */
export type Opening<T> = Generator<SatNode, T, void>

/** A tree, or a part of one, and the position of its root's sat in the sats of a transaction. */
interface Part {
  node: SatNode
  at: number
}

/** Sats of a tree with the positions of the first and the last. */
export interface Piece extends Part {
  low: number
  high: number
}

/** Runs steps whose nodes are all in memory. Throws TypeError if one is not. */
export function inMemory<T>(steps: Opening<T>): T {
  const step = steps.next()
  if (!step.done) throw new TypeError(`the sats below ${step.value.id} are not in memory`)
  return step.value
}

/** Trees of sats, with the changes since they were last taken. */
export class SatTrees {
  private changed = new Map<SatNode, SatRow | null>()

  /** A newly inscribed sat. Its id is set by its first inscription. */
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

  /** Each node that changed since the last call, with its former row; null for a new one. */
  takeChanges(): Map<SatNode, SatRow | null> {
    const changes = this.changed
    this.changed = new Map()
    for (const [node, before] of changes) if (before && isSame(before, rowOf(node))) changes.delete(node)
    return changes
  }

  /** Puts a tree to its place. */
  put({ node, at, low, high }: Piece, start: number, outpoint: Outpoint, output: TxOutput | null): void {
    this.touch(node)
    node.parent = null
    node.offset = at - start
    node.place = { outpoint, output, low: low - start, high: high - start }
  }

  /** Splits a piece at a position inside it. */
  *split(piece: Piece, position: number): Opening<[Piece, Piece]> {
    const edge = { before: piece.low, after: piece.high }
    const [left, right] = yield* this.cut(piece, position, edge)
    return [
      { ...left!, low: piece.low, high: edge.before },
      { ...right!, low: edge.after, high: piece.high },
    ]
  }

  /** Joins pieces that follow each other. */
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

/** The node of the sat at a position of a piece; null when that is not inscribed. */
export function* findSat(piece: Piece, position: number): Opening<SatNode | null> {
  let node: SatNode | null = piece.node
  for (let { at } = piece; node; at += node?.offset ?? 0) {
    if (at === position) return node
    if (!node.isOpen) yield node
    node = position < at ? node.left : node.right
  }
  return null
}

/** The root of a node's tree, and the node's offset in the output. */
export function placeOfSat(node: SatNode): { root: SatNode; offset: number } {
  let offset = node.offset
  let root = node
  for (; root.parent; offset += root.offset) root = root.parent
  return { root, offset }
}

/** A node as it is stored. */
export const rowOf = ({ parent, offset, first, place }: SatNode): SatRow => ({
  parentId: parent ? parent.id : null,
  offset,
  first,
  place,
})

function isSame(a: SatRow, b: SatRow): boolean {
  return a.parentId === b.parentId && a.offset === b.offset && a.first === b.first && a.place === b.place
}

/** A move of adjacent sats from one output to another, or to no output. */
export interface CoinMove {
  txid: string
  /** Index of the transaction in the block; 0, the coinbase, for sats spent as fee. */
  transactionIndex: number
  from: Outpoint
  fromOutput: TxOutput
  /** Offset of the first sat in the spent output, and the distance to the last one. */
  fromOffset: number
  span: number
  to: Outpoint
  toOutput: TxOutput | null
  toOffset: number
  /** The id of the sat among them that was inscribed first. */
  first: number
}

/** True for the outpoints that no transaction spends. */
export const isNowhere = ({ txid }: Outpoint): boolean => txid === LOST.txid || txid === UNBOUND.txid
