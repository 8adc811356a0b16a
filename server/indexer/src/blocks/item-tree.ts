import type { BlockMove } from '../inscriptions/coin-queries.ts'

/** What happened to an item in a block, from its last move to its first. */
export interface Passage {
  /** The last move. */
  last: BlockMove | null
  /** The first move after the last stop; null if the last move is a stop. */
  first: BlockMove | null
  isStopped: boolean
}

/** Adds an earlier passage. */
const followedBy = (later: Passage, earlier: Passage): Passage => ({
  last: later.last ?? earlier.last,
  first: later.isStopped ? later.first : (earlier.first ?? later.first),
  isStopped: later.isStopped || earlier.isStopped,
})

const NONE: Passage = { last: null, first: null, isStopped: false }

/** A node of a treap of items, ordered by offset. Its shift and passage apply to its subtree, and are passed down when it is visited. */
export interface ItemNode {
  readonly item: number
  offset: number
  passage: Passage
  shift: number
  pending: Passage
  readonly priority: number
  left: ItemNode | null
  right: ItemNode | null
}

/** Returns a tree of one item. The priority is random: nobody can arrange items so that their tree is a list. */
export function itemAt(offset: number, item: number): ItemNode {
  const priority = Math.random()
  return { item, offset, passage: NONE, shift: 0, pending: NONE, priority, left: null, right: null }
}

/** Operations on trees of items. */
export class ItemTrees {
  /** Number of visited nodes. */
  steps = 0

  /** Moves all items of a tree by `shift`, and adds an earlier passage. */
  apply(tree: ItemNode, shift: number, earlier: Passage = NONE): void {
    tree.offset += shift
    tree.shift += shift
    if (earlier === NONE) return
    tree.passage = followedBy(tree.passage, earlier)
    tree.pending = followedBy(tree.pending, earlier)
  }

  /** Splits a tree into the items below an offset and the others. */
  split(tree: ItemNode | null, offset: number): readonly [ItemNode | null, ItemNode | null] {
    if (!tree) return [null, null]
    this.visit(tree)
    if (tree.offset < offset) {
      const [below, rest] = this.split(tree.right, offset)
      tree.right = below
      return [tree, rest]
    }
    const [below, rest] = this.split(tree.left, offset)
    tree.left = rest
    return [below, tree]
  }

  /** Joins two trees. All items of `a` are below those of `b`, or at the same offset. */
  join(a: ItemNode | null, b: ItemNode | null): ItemNode | null {
    if (!a || !b) return a ?? b
    if (a.priority > b.priority) {
      this.visit(a)
      a.right = this.join(a.right, b)
      return a
    }
    this.visit(b)
    b.left = this.join(a, b.left)
    return b
  }

  /** Returns the items of a tree in the order of their offsets. */
  *items(tree: ItemNode | null): Generator<ItemNode> {
    if (!tree) return
    this.visit(tree)
    yield* this.items(tree.left)
    yield tree
    yield* this.items(tree.right)
  }

  /** Passes the shift and passage of a subtree to its children. */
  private visit(tree: ItemNode): void {
    this.steps++
    if (tree.shift === 0 && tree.pending === NONE) return
    if (tree.left) this.apply(tree.left, tree.shift, tree.pending)
    if (tree.right) this.apply(tree.right, tree.shift, tree.pending)
    tree.shift = 0
    tree.pending = NONE
  }
}
