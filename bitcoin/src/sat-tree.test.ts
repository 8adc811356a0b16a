import { describe, expect, it } from 'vitest'
import {
  findSat,
  inMemory,
  type Opening,
  type Piece,
  placeOfSat,
  rowOf,
  type SatNode,
  SatTrees,
} from './sat-tree.ts'

const SCRIPT = Uint8Array.of(0x51)
let nextId = 0
const single = (trees: SatTrees, at: number): Piece => {
  const node = trees.make(false)
  node.id = node.first = nextId++
  return { node, at, low: at, high: at }
}
const joined = (trees: SatTrees, pieces: Piece[]) =>
  pieces.reduce((left, right) => inMemory(trees.join(left, right)))
function satsOf({ node, at }: { node: SatNode; at: number }): [number, number][] {
  return [
    ...(node.left ? satsOf({ node: node.left, at: at + node.left.offset }) : []),
    [at, node.id],
    ...(node.right ? satsOf({ node: node.right, at: at + node.right.offset }) : []),
  ]
}
const shapeOf = ({ node }: Piece): unknown =>
  node && [
    node.id,
    node.left && shapeOf({ node: node.left } as Piece),
    node.right && shapeOf({ node: node.right } as Piece),
  ]
const put = (trees: SatTrees, piece: Piece, txid: string) =>
  trees.put(piece, 0, { txid, vout: 0 }, { valueSats: 1_000_000, script: SCRIPT })
const shifted = ({ node, at, low, high }: Piece, by: number): Piece => ({
  node,
  at: at + by,
  low: low + by,
  high: high + by,
})
function inserted(trees: SatTrees, coin: Piece | null, sat: Piece): Piece {
  if (!coin) return sat
  if (coin.high < sat.low) return inMemory(trees.join(coin, sat))
  if (sat.high < coin.low) return inMemory(trees.join(sat, coin))
  const [left, right] = inMemory(trees.split(coin, sat.low))
  return joined(trees, [left, sat, right])
}
/** Checks heights and links. Returns the number of levels. */
function checkBalance(node: SatNode | null, parent: SatNode | null = null): number {
  if (!node) return 0
  const [left, right] = [checkBalance(node.left, node), checkBalance(node.right, node)]
  if (node.parent !== parent) throw new Error('wrong parent')
  if (Math.abs(left - right) > 1 || node.levels !== 1 + Math.max(left, right)) throw new Error('not balanced')
  return node.levels
}
/** Creates a stored coin with inscribed sats. */
function coinOf(trees: SatTrees, count: number): Piece {
  const coin = joined(
    trees,
    Array.from({ length: count }, (_, n) => single(trees, 2 * n)),
  )
  put(trees, coin, 'aa')
  trees.takeChanges()
  return coin
}

describe('SatTrees', () => {
  it('keeps sat offsets across splits and joins', () => {
    const trees = new SatTrees()
    let coin = coinOf(trees, 500)
    let expected = satsOf(coin)
    for (let round = 0; round < 300; round++) {
      const position = 1 + Math.floor(Math.random() * coin.high)
      const [left, right] = inMemory(trees.split(coin, position))
      expect([left.low, left.high, right.low, right.high]).toEqual([
        coin.low,
        expected.findLast(([at]) => at < position)![0],
        expected.find(([at]) => at >= position)![0],
        coin.high,
      ])
      expect(left.node.first).toBe(Math.min(...satsOf(left).map(([, id]) => id)))
      // Swap both halves.
      const shift = left.high + 1 - right.low
      const ahead = { ...left, at: left.at - left.low, low: 0, high: left.high - left.low }
      const behind = {
        ...right,
        at: right.at + shift - left.low,
        low: right.low + shift - left.low,
        high: right.high + shift - left.low,
      }
      coin = inMemory(trees.join(ahead, behind))
      put(trees, coin, 'bb')
      expected = expected.map(([at, id]) => [at < position ? at - left.low : at + shift - left.low, id])
      expect(satsOf(coin)).toEqual(expected)
      const [at, id] = expected[Math.floor(Math.random() * expected.length)]!
      const node = inMemory(findSat(coin, at))!
      expect(node.id).toBe(id)
      expect(placeOfSat(node)).toEqual({ root: coin.node, offset: at })
    }
  })

  it('stays balanced when sats arrive in the order of an attacker', () => {
    const trees = new SatTrees()
    const orders = [
      (n: number) => n,
      (n: number) => 999 - n,
      (n: number) => (n % 2 === 0 ? n / 2 : 999 - (n - 1) / 2),
      (n: number) => (n * 7919) % 1000,
    ]
    for (const order of orders) {
      let coin: Piece | null = null
      for (let n = 0; n < 1000; n++) coin = inserted(trees, coin, single(trees, order(n)))
      expect(satsOf(coin!).map(([at]) => at)).toEqual(Array.from({ length: 1000 }, (_, at) => at))
      checkBalance(coin!.node)
    }
    // Cut and turn round, as a coin that is shredded and merged.
    let coin = coinOf(trees, 3_000)
    for (let round = 0; round < 200; round++) {
      const [left, right] = inMemory(trees.split(coin, 1 + ((round * 7919) % coin.high)))
      const [shift, after] = [right.low, left.high - left.low + 1]
      coin = inMemory(
        trees.join(shifted(right, -shift), shifted(left, right.high - shift + after - left.high)),
      )
      checkBalance(coin.node)
    }
    expect(coin.node.levels).toBeLessThanOrEqual(1.44 * Math.log2(3_000 + 2))
  })

  it('gives the same shape to the same splits and joins', () => {
    const run = () => {
      const trees = new SatTrees()
      nextId = 0
      let coin = coinOf(trees, 500)
      for (let round = 1; round < 40; round++) {
        const [left, right] = inMemory(trees.split(coin, (round * 7919) % coin.high))
        coin = inMemory(trees.join(left, right))
      }
      return shapeOf(coin)
    }
    expect(run()).toEqual(run())
  })

  it('leaves no path from a sat that was cut off to its former coin', () => {
    const trees = new SatTrees()
    for (let position = 1; position < 40; position++) {
      const coin = coinOf(trees, 20)
      const nodes = satsOf(coin).map(([at]) => ({ at, node: inMemory(findSat(coin, at))! }))
      const [left, right] = inMemory(trees.split(coin, position === 39 ? 38 : position))
      put(trees, left, 'bb')
      for (const { at, node } of nodes)
        expect(placeOfSat(node).root).toBe(at < (position === 39 ? 38 : position) ? left.node : right.node)
    }
  })

  it('returns the previous rows of changed nodes', () => {
    const trees = new SatTrees()
    const coin = coinOf(trees, 300)
    const before = new Map(
      satsOf(coin)
        .map(([at]) => inMemory(findSat(coin, at))!)
        .map((node) => [node, rowOf(node)]),
    )
    let whole = coin
    for (const position of [7, 301, 302, 500]) {
      const [left, right] = inMemory(trees.split(whole, position))
      whole = inMemory(trees.join(left, right))
    }
    const [left, right] = inMemory(trees.split(whole, 250))
    put(trees, left, 'cc')
    put(trees, right, 'dd')
    const changes = trees.takeChanges()
    for (const [node, row] of before) expect(changes.get(node) ?? rowOf(node)).toEqual(row)
  })

  it.each([1_000, 50_000])('moves a coin of %i sats with one row', (count) => {
    const trees = new SatTrees()
    let coin = coinOf(trees, count)
    put(trees, coin, 'ee')
    expect(trees.takeChanges().size).toBe(1)
    let rows = 0
    const rounds = 200
    for (let round = 0; round < rounds; round++) {
      const position = 2 * (1 + Math.floor(Math.random() * (count - 1)))
      const [left, right] = inMemory(trees.split(coin, position))
      put(trees, left, 'ff')
      put(trees, right, 'ee')
      rows += trees.takeChanges().size
      coin = inMemory(trees.join(left, right))
      put(trees, coin, 'ee')
      rows += trees.takeChanges().size
    }
    // A split and a join each visit about two nodes per level.
    expect(rows / rounds).toBeLessThan(6 * Math.log2(count))
  })

  it.each([1_000, 16_000])('merges %i coins in near linear work', (count) => {
    const trees = new SatTrees()
    const coins = Array.from({ length: count }, (_, n) => single(trees, n))
    const before = trees.steps
    joined(trees, coins)
    expect((trees.steps - before) / count).toBeLessThan(2 * Math.log2(count))
  })

  it('joins one-sat coins with one row each', () => {
    const trees = new SatTrees()
    const coins = Array.from({ length: 5_000 }, (_, n) => single(trees, n))
    for (const coin of coins) put(trees, coin, 'aa')
    trees.takeChanges()
    put(trees, joined(trees, coins), 'bb')
    expect(trees.takeChanges().size).toBe(5_000)
  })

  it('loads only the nodes of a split', () => {
    const trees = new SatTrees()
    const coin = coinOf(trees, 2_000)
    const stored = new Map<SatNode, [SatNode | null, SatNode | null]>()
    for (const [at] of satsOf(coin)) {
      const node = inMemory(findSat(coin, at))!
      stored.set(node, [node.left, node.right])
    }
    for (const node of stored.keys()) {
      node.isOpen = false
      node.left = node.right = null
    }
    let opened = 0
    const run = <T>(steps: Opening<T>): T => {
      for (;;) {
        const step = steps.next()
        if (step.done) return step.value
        for (const node of step.value) {
          opened++
          node.isOpen = true
          ;[node.left, node.right] = stored.get(node)!
        }
      }
    }
    put(trees, coin, 'bb')
    expect(opened).toBe(0)
    const [left, right] = run(trees.split(coin, 1_999))
    expect([left.high, right.low]).toEqual([1_998, 2_000])
    expect(opened).toBeLessThan(60)
  })
})
