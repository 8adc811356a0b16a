import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { describe, expect, it } from 'vitest'
import { Dice } from '../../test/support/random-sats.ts'
import type { BlockMove } from '../inscriptions/coin-queries.ts'
import { BatchMoves } from './batch-moves.ts'
import { type ItemNode, ItemTrees, itemAt } from './item-tree.ts'

interface Item {
  id: string
  path: BlockMove[]
}
interface Coin {
  outpoint: Outpoint
  sats: number
  items: { item: Item; offset: number }[]
}

/** Coins with items, moved by transactions. Keeps the path of each item. */
class Model {
  readonly moves: BlockMove[] = []
  readonly items: Item[] = []
  coins: Coin[] = []
  private made = 0

  /** Creates a coin with items at offsets. */
  create(sats: number, offsets: readonly number[]): void {
    const items = offsets.map((offset, n): Coin['items'][number] => ({
      item: { id: `${this.items.length + n}`.padStart(8, '0'), path: [] },
      offset,
    }))
    this.items.push(...items.map(({ item }) => item))
    this.coins.push({ outpoint: this.next(), sats, items })
  }

  /** Spends coins into outputs, first in, first out. */
  transact(height: number, spent: readonly Coin[], outputs: readonly number[]): Coin[] {
    const { txid } = this.next()
    this.coins = this.coins.filter((coin) => !spent.includes(coin))
    let start = 0
    const made = outputs.map((sats, vout): Coin => {
      const coin: Coin = { outpoint: { txid, vout }, sats, items: [] }
      let inputStart = 0
      for (const { outpoint: from, sats: inputSats, items } of spent) {
        const shift = inputStart - start
        const moved = items.filter(({ offset }) => offset + shift >= 0 && offset + shift < sats)
        if (moved.length > 0) {
          const [first, last] = [moved[0]!.offset, moved.at(-1)!.offset]
          const move = {
            height,
            txid,
            from,
            fromOffset: first,
            span: last - first,
            to: coin.outpoint,
            toOffset: first + shift,
          }
          this.moves.push(move as BlockMove)
          for (const { item, offset } of moved) {
            item.path.push(move as BlockMove)
            coin.items.push({ item, offset: offset + shift })
          }
        }
        inputStart += inputSats
      }
      start += sats
      return coin
    })
    this.coins.push(...made.filter(({ sats }) => sats > 0))
    return made
  }

  private next(): Outpoint {
    return { txid: `${this.made++}`.padStart(64, '0'), vout: 0 }
  }

  /** A transaction that has only the query for watched items. */
  get tx(): Transaction {
    const rows = new Map(
      this.coins.map(({ outpoint, items }) => [
        formatOutpoint(outpoint),
        items.map(({ item, offset }) => ({ inscriptionId: item.id, ...outpoint, satOffset: offset })),
      ]),
    )
    const query = async (_: unknown, txids: string[], vouts: number[]) =>
      txids.flatMap((txid, n) => rows.get(formatOutpoint({ txid, vout: vouts[n]! })) ?? [])
    return query as unknown as Transaction
  }
}

function randomModel(seed: number): Model {
  const dice = new Dice(seed)
  const model = new Model()
  for (let n = 0; n < 8; n++) {
    const offsets = Array.from({ length: dice.roll(12) }, () => dice.roll(100)).sort((a, b) => a - b)
    model.create(100, offsets)
  }
  for (let height = 0; height < 5; height++)
    for (let n = 0; n < 12; n++) {
      const spent = Array.from(
        { length: 1 + dice.roll(3) },
        () => model.coins[dice.roll(model.coins.length)]!,
      )
      const different = [...new Set(spent)]
      const total = different.reduce((sum, { sats }) => sum + sats, 0)
      const cuts = [...Array.from({ length: dice.roll(4) }, () => dice.roll(total)), 0, total].sort(
        (a, b) => a - b,
      )
      model.transact(
        height,
        different,
        cuts.slice(1).map((cut, i) => cut - cuts[i]!),
      )
    }
  return model
}

describe('BatchMoves', () => {
  it.each(Array.from({ length: 50 }, (_, n) => n))(
    'traces items like a slow model (seed %i)',
    async (seed) => {
      const model = randomModel(seed)
      const batch = new BatchMoves(model.moves)
      for (let height = 0; height < 5; height++) {
        const paths = model.items.map(({ id, path }) => ({
          id,
          path: path.filter((move) => move.height === height),
        }))
        const { moved, txids } = await batch.watchedIn(model.tx, height)
        const byId = (a: { inscriptionId: string }, b: { inscriptionId: string }) =>
          a.inscriptionId < b.inscriptionId ? -1 : 1
        expect(moved.map(({ inscriptionId, last }) => ({ inscriptionId, last })).sort(byId)).toEqual(
          paths.flatMap(({ id, path }) =>
            path.length > 0 ? [{ inscriptionId: id, last: path.at(-1) }] : [],
          ),
        )
        expect(txids).toEqual(new Set(paths.flatMap(({ path }) => path.map(({ txid }) => txid))))
        const stops = new Set([...txids].filter((_, n) => n % 3 === 0))
        const after = await batch.watchedAfter(model.tx, height, stops)
        expect(after.sort(byId)).toEqual(
          paths.flatMap(({ id, path }) => {
            const later = path.slice(path.findLastIndex(({ txid }) => stops.has(txid)) + 1)
            return later.length > 0 ? [{ inscriptionId: id, first: later[0], last: later.at(-1) }] : []
          }),
        )
      }
    },
  )

  it('reads again in a transaction that is retried', async () => {
    const model = new Model()
    model.create(2, [0])
    model.transact(0, model.coins, [2])
    const batch = new BatchMoves(model.moves)
    const failing = (() => Promise.reject(new Error('deadlock detected'))) as unknown as Transaction
    await expect(batch.watchedIn(failing, 0)).rejects.toThrow('deadlock detected')
    expect((await batch.watchedIn(model.tx, 0)).moved).toHaveLength(1)
  })

  it('visits few nodes if many items move often', async () => {
    const [items, hops] = [1000, 1000]
    const model = new Model()
    model.create(items, [...Array(items).keys()])
    let [coin] = model.coins
    for (let n = 0; n < hops; n++) {
      model.create(1, [0])
      // An item joins at the end, and an item leaves at the start.
      ;[, coin] = model.transact(0, [coin!, model.coins.at(-1)!], [1, items])
    }
    const batch = new BatchMoves(model.moves)
    expect((await batch.watchedIn(model.tx, 0)).moved).toHaveLength(items + hops)
    // Each move splits and joins trees of at most `items + hops` nodes.
    expect(batch.trees.steps).toBeLessThan(model.moves.length * 8 * Math.log2(items + hops))
  })
})

it('trees of items are balanced whatever the items are', () => {
  const items = 4096
  const trees = new ItemTrees()
  let tree: ItemNode | null = null
  // The numbers of items in an arrangement of somebody else.
  for (let n = 0; n < items; n++) tree = trees.join(tree, itemAt(n, 7))
  trees.steps = 0
  trees.split(tree, 0)
  expect(trees.steps).toBeLessThan(8 * Math.log2(items))
})
