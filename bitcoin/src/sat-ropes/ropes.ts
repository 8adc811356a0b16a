/** Numbers that a reset keeps allocated: 64 MB. */
const KEPT_NUMBERS = 2 ** 23

/** Most ranges of a leaf. Also the most ranges of a stored chunk. */
const LEAF_RANGES = 128

/** Thrown if the ranges of a leaf are not loaded. Nothing has changed: load the leaf and repeat the call. */
export class MissingLeaf {
  readonly leaf: number
  constructor(leaf: number) {
    this.leaf = leaf
  }
}

/**
 * Sats of coins as ropes: immutable height-balanced trees over leaves of at most 128 ranges, in typed arrays. A rope is the number of its
 * root; 0 is empty. Joins and splits add nodes along one path and never change existing nodes, so a coin that moves whole costs nothing.
 *
 * No leaf is empty or has more than 128 ranges, and two adjacent leaves have more than 128 together. Leaves therefore depend only on the
 * joins and splits, not on the tree above them. Adjacent ranges are not merged, like in ord.
 */
export class Ropes {
  readonly leafRanges: number
  /** First sat and number of sats per range. */
  ranges = new Float64Array(2 ** 14)
  /** Number of ranges in use. */
  top = 0
  /** Number of nodes in use. Node 0 is unused. */
  nodes = 1
  /** Number of ranges of a node. */
  count = new Int32Array(2 ** 12)
  /** Number of sats of a node. */
  sats = new Float64Array(2 ** 12)
  /** Number of the stored chunk that equals a leaf; 0 if none. */
  chunk = new Float64Array(2 ** 12)
  /** Results of `split`. */
  before = 0
  after = 0
  /** Left child; -1 for a leaf. */
  private left = new Int32Array(2 ** 12)
  /** Right child. For a leaf, the index of its first range; -1 if the leaf is not loaded. */
  private right = new Int32Array(2 ** 12)
  private height = new Uint8Array(2 ** 12)

  /** Tests use small leaves. */
  constructor(leafRanges = LEAF_RANGES) {
    this.leafRanges = leafRanges
  }

  /** Bytes in use. Grows with each range and node that is written. */
  get bytes(): number {
    return this.top * 16 + this.nodes * 29
  }

  /** Removes all ropes. Keeps the memory for the next batch, because allocating it takes longer than filling it. */
  reset(): void {
    this.top = 0
    this.nodes = 1
    if (this.ranges.length > KEPT_NUMBERS) this.ranges = new Float64Array(2 ** 14)
    if (this.left.length * 4 > KEPT_NUMBERS) this.resizeNodes(2 ** 12)
  }

  /** Makes room for `count` more ranges. */
  reserve(count: number): void {
    let length = this.ranges.length
    while ((this.top + count) * 2 > length) length *= 2
    if (length > this.ranges.length) this.ranges = resized(this.ranges, new Float64Array(length))
  }

  /** Appends a range. Reserve it first. */
  push(from: number, sats: number): void {
    this.ranges[this.top * 2] = from
    this.ranges[this.top * 2 + 1] = sats
    this.top++
  }

  /** Adds a leaf of written ranges, or of a stored chunk if `at` is -1. */
  leaf(at: number, count: number, sats: number, chunk = 0): number {
    const node = this.newNode(-1, at, 0)
    this.count[node] = count
    this.sats[node] = sats
    this.chunk[node] = chunk
    return node
  }

  one(from: number, sats: number): number {
    if (sats === 0) return 0
    this.reserve(1)
    this.push(from, sats)
    return this.leaf(this.top - 1, 1, sats)
  }

  /** Returns a rope of written ranges. */
  build(at: number, count: number): number {
    const parts = Math.ceil(count / this.leafRanges)
    if (parts === 1) return this.leaf(at, count, this.sumOf(at, count))
    return this.over(
      Array.from({ length: parts }, (_, part) => {
        const from = Math.floor((part * count) / parts)
        const size = Math.floor(((part + 1) * count) / parts) - from
        return this.leaf(at + from, size, this.sumOf(at + from, size))
      }),
    )
  }

  /** Returns a rope of leaves. */
  over(leaves: readonly number[]): number {
    const build = (from: number, to: number): number => {
      if (to - from === 1) return leaves[from]!
      const middle = (from + to) >> 1
      return this.inner(build(from, middle), build(middle, to))
    }
    return leaves.length === 0 ? 0 : build(0, leaves.length)
  }

  isLeaf(node: number): boolean {
    return this.left[node] === -1
  }

  isLoaded(leaf: number): boolean {
    return this.right[leaf] !== -1
  }

  /** Sets the index of a leaf's first range. */
  setLoaded(leaf: number, at: number): void {
    this.right[leaf] = at
  }

  /** Returns the index of a leaf's first range. Throws MissingLeaf. */
  at(leaf: number): number {
    const at = this.right[leaf]!
    if (at === -1) throw new MissingLeaf(leaf)
    return at
  }

  /** Appends the ranges of a leaf. Throws MissingLeaf. */
  copy(leaf: number): void {
    const at = this.at(leaf)
    const count = this.count[leaf]!
    this.reserve(count)
    this.ranges.copyWithin(this.top * 2, at * 2, (at + count) * 2)
    this.top += count
  }

  /** Joins two ropes. Throws MissingLeaf. */
  join(a: number, b: number): number {
    if (a === 0) return b
    if (b === 0) return a
    const last = this.lastLeaf(a)
    const first = this.firstLeaf(b)
    const count = this.count[last]! + this.count[first]!
    if (count > this.leafRanges) return this.concat(a, b)
    const sats = this.sats[last]! + this.sats[first]!
    let at = this.at(last)
    this.at(first)
    if (at + this.count[last]! !== this.top) {
      at = this.top
      this.copy(last)
    }
    this.copy(first)
    return this.concat(this.replaceLast(a, this.leaf(at, count, sats)), this.dropFirst(b))
  }

  /** Splits a rope before a sat into `before` and `after`. Throws MissingLeaf. */
  split(node: number, position: number): void {
    if (position <= 0 || position >= this.sats[node]!) {
      this.before = position <= 0 ? 0 : node
      this.after = position <= 0 ? node : 0
      return
    }
    if (this.isLeaf(node)) {
      this.splitLeaf(node, position)
      return
    }
    const [left, right] = [this.left[node]!, this.right[node]!]
    const edge = this.sats[left]!
    if (position === edge) {
      this.before = left
      this.after = right
    } else if (position < edge) {
      this.split(left, position)
      const { before, after } = this
      this.after = this.isLeaf(after) ? this.join(after, right) : this.concat(after, right)
      this.before = before
    } else {
      this.split(right, position - edge)
      const { before, after } = this
      this.before = this.isLeaf(before) ? this.join(left, before) : this.concat(left, before)
      this.after = after
    }
  }

  firstLeaf(node: number): number {
    while (!this.isLeaf(node)) node = this.left[node]!
    return node
  }

  lastLeaf(node: number): number {
    while (!this.isLeaf(node)) node = this.right[node]!
    return node
  }

  /** Returns the leaf with the sat at `position`, and the position in the leaf. */
  leafOf(node: number, position: number): { leaf: number; position: number } {
    while (!this.isLeaf(node)) {
      const edge = this.sats[this.left[node]!]!
      if (position < edge) node = this.left[node]!
      else {
        position -= edge
        node = this.right[node]!
      }
    }
    return { leaf: node, position }
  }

  /** Returns the number of the sat at a position in the rope. Throws MissingLeaf. */
  satAt(node: number, position: number): number {
    const found = this.leafOf(node, position)
    let left = found.position
    for (let i = this.at(found.leaf) * 2; ; i += 2) {
      const sats = this.ranges[i + 1]!
      if (left < sats) return this.ranges[i]! + left
      left -= sats
    }
  }

  forEachLeaf(node: number, visit: (leaf: number) => void): void {
    if (node === 0) return
    if (this.isLeaf(node)) visit(node)
    else {
      this.forEachLeaf(this.left[node]!, visit)
      this.forEachLeaf(this.right[node]!, visit)
    }
  }

  /** Returns the ranges of a rope as pairs of the first sat and the sat after the last. Throws MissingLeaf. */
  list(node: number): [from: number, to: number][] {
    const found: [number, number][] = []
    this.forEachLeaf(node, (leaf) => {
      const at = this.at(leaf)
      for (let i = at * 2; i < (at + this.count[leaf]!) * 2; i += 2)
        found.push([this.ranges[i]!, this.ranges[i]! + this.ranges[i + 1]!])
    })
    return found
  }

  /** Returns the height of a rope's tree. */
  heightOf(node: number): number {
    return this.height[node]!
  }

  private sumOf(at: number, count: number): number {
    let total = 0
    for (let i = at * 2 + 1; i < (at + count) * 2; i += 2) total += this.ranges[i]!
    return total
  }

  private splitLeaf(node: number, position: number): void {
    const at = this.at(node)
    const count = this.count[node]!
    let whole = 0
    let total = 0
    for (; total + this.ranges[(at + whole) * 2 + 1]! <= position; whole++)
      total += this.ranges[(at + whole) * 2 + 1]!
    const rest = this.sats[node]! - position
    if (total === position) {
      this.before = this.leaf(at, whole, position)
      this.after = this.leaf(at + whole, count - whole, rest)
      return
    }
    this.reserve(count + 1)
    const { ranges, top } = this
    const cut = position - total
    const from = ranges[(at + whole) * 2]!
    const sats = ranges[(at + whole) * 2 + 1]!
    ranges.copyWithin(top * 2, at * 2, (at + whole) * 2)
    this.top += whole
    this.push(from, cut)
    this.push(from + cut, sats - cut)
    ranges.copyWithin(this.top * 2, (at + whole + 1) * 2, (at + count) * 2)
    this.top += count - whole - 1
    this.before = this.leaf(top, whole + 1, position)
    this.after = this.leaf(top + whole + 1, count - whole, rest)
  }

  private replaceLast(node: number, leaf: number): number {
    if (this.isLeaf(node)) return leaf
    return this.inner(this.left[node]!, this.replaceLast(this.right[node]!, leaf))
  }

  private dropFirst(node: number): number {
    return this.isLeaf(node) ? 0 : this.concat(this.dropFirst(this.left[node]!), this.right[node]!)
  }

  /** Joins two trees without changing leaves (Blelloch, Ferizovic and Sun, "Just Join for Parallel Ordered Sets"). */
  private concat(a: number, b: number): number {
    if (a === 0) return b
    if (b === 0) return a
    const difference = this.height[a]! - this.height[b]!
    if (difference > 1) return this.balanced(this.left[a]!, this.concat(this.right[a]!, b))
    if (difference < -1) return this.balanced(this.concat(a, this.left[b]!), this.right[b]!)
    return this.inner(a, b)
  }

  /** Returns an inner node of trees whose heights differ by at most two. */
  private balanced(a: number, b: number): number {
    const { height, left, right } = this
    if (height[b]! > height[a]! + 1) {
      const [inner, outer] = [left[b]!, right[b]!]
      if (height[inner]! <= height[outer]!) return this.inner(this.inner(a, inner), outer)
      return this.inner(this.inner(a, left[inner]!), this.inner(this.right[inner]!, outer))
    }
    if (height[a]! > height[b]! + 1) {
      const [outer, inner] = [left[a]!, right[a]!]
      if (height[inner]! <= height[outer]!) return this.inner(outer, this.inner(inner, b))
      return this.inner(this.inner(outer, left[inner]!), this.inner(this.right[inner]!, b))
    }
    return this.inner(a, b)
  }

  private inner(a: number, b: number): number {
    const node = this.newNode(a, b, 1 + Math.max(this.height[a]!, this.height[b]!))
    this.count[node] = this.count[a]! + this.count[b]!
    this.sats[node] = this.sats[a]! + this.sats[b]!
    this.chunk[node] = 0
    return node
  }

  private newNode(left: number, right: number, height: number): number {
    if (this.nodes === this.left.length) this.resizeNodes(this.nodes * 2)
    const node = this.nodes++
    this.left[node] = left
    this.right[node] = right
    this.height[node] = height
    return node
  }

  private resizeNodes(length: number): void {
    this.left = resized(this.left, new Int32Array(length))
    this.right = resized(this.right, new Int32Array(length))
    this.height = resized(this.height, new Uint8Array(length))
    this.count = resized(this.count, new Int32Array(length))
    this.sats = resized(this.sats, new Float64Array(length))
    this.chunk = resized(this.chunk, new Float64Array(length))
  }
}

/** Copies what fits from one array to another. */
export function resized<T extends Float64Array | Int32Array | Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from.subarray(0, to.length) as never)
  return to
}
