import type { Coins } from '@ordbook/bitcoin/coin-flow.ts'
import { Holdings } from '@ordbook/bitcoin/holdings.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { BlockTransaction } from '@ordbook/bitcoin/raw-block.ts'
import { landings } from '@ordbook/bitcoin/sat-flow.ts'
import {
  findSat,
  isNowhere,
  type Opening,
  type Piece,
  rowOf,
  type SatNode,
  type SatRow,
  SatTrees,
} from '@ordbook/bitcoin/sat-tree.ts'
import type { TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import type { Turns } from '../turns.ts'
import { type CoinKeys, listBelow, listPaths, listRoots, type SatNodeRow, writeSats } from './coin-queries.ts'

/** Tree levels loaded per query: at most 126 nodes below each node. A coin that is cut n times needs log2(n) levels more. */
const LEVELS = 6
/** Trees of so many levels (at most 7 sats) are loaded with their root. */
const SMALL_LEVELS = 3

/**
 * Inscribed sats in coins that blocks spend. Loads the root of a coin's tree first, and other nodes when a transaction splits or joins
 * trees.
 */
export class IndexedCoins implements Coins {
  readonly trees = new SatTrees()
  readonly parents = new Map<string, SatNode>()
  private readonly sql: Queryable
  private readonly nodes = new Map<number, SatNode>()
  private readonly roots = new Holdings<SatNode>()
  private readonly changed = new Map<SatNode, SatRow | null>()

  private constructor(sql: Queryable) {
    this.sql = sql
  }

  /** Loads coins, and the sats of inscriptions. */
  static async load(
    sql: Queryable,
    { spent, inscriptionIds = [] }: { spent: CoinKeys; inscriptionIds?: readonly string[] },
  ): Promise<IndexedCoins> {
    const coins = new IndexedCoins(sql)
    for (const row of await listRoots(sql, spent)) {
      const root = coins.nodeOf(row)
      if (!isNowhere(root.place!.outpoint)) coins.put(root.place!.outpoint, root)
    }
    await coins.open([...coins.nodes.values()].filter((root) => !root.isOpen && root.levels <= SMALL_LEVELS))
    const { sats, nodes } = await listPaths(sql, inscriptionIds)
    for (const row of nodes) coins.nodeOf(row)
    for (const { satId, parentId } of nodes)
      if (parentId !== null) coins.nodes.get(satId)!.parent = coins.nodes.get(parentId)!
    for (const { inscriptionId, satId } of sats) {
      const node = coins.nodes.get(satId)
      if (node) coins.parents.set(inscriptionId, node)
    }
    return coins
  }

  /** Loads the upper levels of all stored coins that transactions cut or join, with a query for each depth. */
  async openCut(transactions: readonly BlockTransaction[]): Promise<void> {
    const cut: { root: SatNode; levels: number }[] = []
    for (const transaction of transactions) {
      if (!transaction.spendsOf(this)) continue
      const { outpoints, prevouts, outputs } = transaction
      const spent: { root: SatNode; start: number }[] = []
      let start = 0
      for (const [index, outpoint] of outpoints.entries()) {
        const [root] = this.roots.in(outpoint)
        if (root) spent.push({ root, start })
        start += prevouts[index]!.valueSats
      }
      const landing = landings(outputs)
      const landingAt = (offset: number) => {
        const destination = landing(offset)
        return 'vout' in destination ? destination.vout : outputs.length
      }
      for (const { root, start } of spent) {
        const { low, high } = root.place!
        const cuts = landingAt(start + high) - landingAt(start + low)
        if (root.isOpen || (spent.length === 1 && cuts === 0)) continue
        cut.push({ root, levels: LEVELS + Math.floor(Math.log2(Math.max(1, cuts))) })
      }
    }
    for (const [levels, part] of Map.groupBy(cut, (each) => each.levels))
      await this.open(
        part.map(({ root }) => root),
        levels,
      )
  }

  take(outpoint: Outpoint): SatNode | null {
    return this.roots.take(outpoint)[0] ?? null
  }

  put(outpoint: Outpoint, root: SatNode): void {
    this.roots.put(outpoint, root)
  }

  has(key: number): boolean {
    return this.roots.has(key)
  }

  /** Runs a generator over the trees, loading each node that it yields. */
  async run<T>(steps: Opening<T>, turns?: Turns): Promise<T> {
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      if (turns?.isDue) await turns.take()
      if (step.value.length > 0) await this.open(step.value)
    }
  }

  /** Returns another sat in the same coin: a child of the root. */
  async childOf(root: SatNode): Promise<SatNode | null> {
    if (!root.isOpen) await this.open([root])
    return root.left ?? root.right
  }

  /** Returns nodes changed since the last call, with their previous rows. Omits new nodes. */
  takeChanges(): { satId: number; row: SatRow }[] {
    const before: { satId: number; row: SatRow }[] = []
    for (const [node, row] of this.trees.takeChanges()) {
      if (row) before.push({ satId: node.id, row })
      if (!this.changed.has(node)) this.changed.set(node, row)
    }
    return before
  }

  spent(): Outpoint[] {
    return [...this.changed.values()].flatMap((row) => (row?.place ? [row.place.outpoint] : []))
  }

  async write(tx: Transaction): Promise<void> {
    this.takeChanges()
    await writeSats(
      tx,
      [...this.changed.keys()].map((node) => ({ satId: node.id, row: rowOf(node) })),
    )
  }

  /** Returns the sat at an offset of an unspent output, and adds it if it is missing. */
  *adopt(
    { outpoint, offset, output }: { outpoint: Outpoint; offset: number; output: TxOutput | null },
    { id, isCursed }: { id: number; isCursed: boolean },
  ): Opening<SatNode> {
    const root = output ? this.take(outpoint) : null
    let whole: Piece | null = root && {
      node: root,
      at: root.offset,
      low: root.place!.low,
      high: root.place!.high,
    }
    const found = whole && whole.low <= offset && offset <= whole.high ? yield* findSat(whole, offset) : null
    if (found) {
      this.put(outpoint, root!)
      return found
    }
    const node = this.trees.make(isCursed)
    node.id = node.first = id
    const added: Piece = { node, at: offset, low: offset, high: offset }
    if (whole && whole.low < offset && offset < whole.high) {
      const [left, right]: [Piece, Piece] = yield* this.trees.split(whole, offset)
      whole = yield* this.trees.join(yield* this.trees.join(left, added), right)
    } else if (whole)
      whole = yield* whole.high < offset ? this.trees.join(whole, added) : this.trees.join(added, whole)
    else whole = added
    this.trees.put(whole, 0, outpoint, output)
    if (output) this.put(outpoint, whole.node)
    return node
  }

  private async open(nodes: readonly SatNode[], levels = LEVELS): Promise<void> {
    const level = new Map(nodes.map((node) => [node, 0]))
    for (const node of nodes) node.isOpen = true
    const ids = nodes.map((node) => node.id)
    for (const row of await listBelow(this.sql, ids, levels)) {
      const child = this.nodeOf(row)
      const parent = this.nodes.get(row.parentId!)!
      const depth = level.get(parent)! + 1
      level.set(child, depth)
      child.parent = parent
      parent[child.offset < 0 ? 'left' : 'right'] = child
      if (depth < levels) child.isOpen = true
    }
  }

  private nodeOf(row: SatNodeRow): SatNode {
    const known = this.nodes.get(row.satId)
    if (known) return known
    const { txid, vout, outputValueSats, ownerScript } = row
    const isRoot = txid !== null
    const node: SatNode = {
      id: row.satId,
      levels: row.levels,
      parent: null,
      offset: row.satOffset,
      first: row.firstId,
      place: isRoot
        ? {
            outpoint: { txid, vout: vout! },
            output: ownerScript && { valueSats: outputValueSats!, script: ownerScript },
            low: row.lowOffset!,
            high: row.highOffset!,
          }
        : null,
      isCursed: row.isCursed,
      isReinscribed: row.isReinscribed,
      isOpen: row.levels === 1,
      left: null,
      right: null,
    }
    this.nodes.set(row.satId, node)
    return node
  }
}
