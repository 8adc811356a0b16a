import { type Coins, flowCoins } from './coin-flow.ts'
import { CoinTrail } from './coin-trail.ts'
import { groupBy } from './group-by.ts'
import { Holdings } from './holdings.ts'
import type { Inscribed, InscriptionCounters, Moved } from './inscription-events.ts'
import type { Outpoint } from './outpoint.ts'
import type { BlockTransaction } from './raw-block.ts'
import { inMemory, type Piece, placeOfSat, type SatNode, SatTrees } from './sat-tree.ts'

/** An inscription in an unspent output. */
export interface Located {
  inscriptionId: string
  sequence: number
  /** Whether its sat can be reinscribed once without a curse. */
  cursedOrVindicated: boolean
  offset: number
}

/**
 * Applies a block like `flowCoins`, with all inscriptions of spent outputs in memory. Updates `counters` in place. Returns created and
 * moved inscriptions in order.
 */
export function flowBlock(
  transactions: readonly BlockTransaction[],
  options: {
    subsidySats: number
    jubilant: boolean
    counters: InscriptionCounters
    located: Holdings<Located>
  },
): (Inscribed | Moved)[] {
  const { located, ...rest } = options
  const trees = new SatTrees()
  const newCoins = new Holdings<SatNode>()
  const parents = new Map<string, SatNode>()
  const sequences = new Map<string, number>()
  const coins: Coins = {
    take: (outpoint) => newCoins.take(outpoint)[0] ?? treeOf(outpoint),
    put: (outpoint, root) => newCoins.put(outpoint, root),
    has: (key) => newCoins.has(key) || located.has(key),
  }
  const treeOf = (outpoint: Outpoint): SatNode | null => {
    let tree: Piece | null = null
    const bySat = groupBy(located.take(outpoint), (inscription) => inscription.offset)
    for (const [offset, inside] of [...bySat].sort(([a], [b]) => a - b)) {
      const [first, second] = inside.toSorted((a, b) => a.sequence - b.sequence)
      const node = trees.make(first!.cursedOrVindicated)
      node.id = node.first = first!.sequence
      node.isReinscribed = second !== undefined
      for (const { inscriptionId, sequence } of inside) {
        parents.set(inscriptionId, node)
        sequences.set(inscriptionId, sequence)
      }
      const piece = { node, at: offset, low: offset, high: offset }
      tree = tree ? inMemory(trees.join(tree, piece)) : piece
    }
    if (!tree) return null
    trees.put(tree, 0, outpoint, null)
    return tree.node
  }
  const { inscribed, moves } = inMemory(flowCoins(transactions, { ...rest, coins, trees, parents }))
  const sequenceOf = new Map(inscribed.map((event) => [event.inscriptionId, event.sequence]))
  const trail = new CoinTrail(moves)
  const moved: Moved[] = []
  for (const [inscriptionId, node] of parents) {
    const { root, offset } = placeOfSat(node)
    const sequence = sequences.get(inscriptionId) ?? sequenceOf.get(inscriptionId)!
    for (const { move, fromOffset, toOffset } of trail.to({ outpoint: root.place!.outpoint, offset }))
      moved.push({
        kind: 'moved',
        inscriptionId,
        sequence,
        txid: move.txid,
        transactionIndex: move.transactionIndex,
        from: { outpoint: move.from, offset: fromOffset, output: move.fromOutput },
        to: { outpoint: move.to, offset: toOffset, output: move.toOutput },
      })
  }
  return [...inscribed, ...moved]
}

/** Returns the block subsidy in sats. */
export function subsidyAt(height: number, halvingInterval: number): number {
  const halvings = Math.floor(height / halvingInterval)
  return halvings >= 33 ? 0 : Math.floor(5_000_000_000 / 2 ** halvings)
}
