import { isDeepStrictEqual } from 'node:util'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, isNoTxid, type Outpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import type { FactSource } from '../adoption/facts.ts'
import { updateWatched } from '../inscriptions/coin-queries.ts'
import {
  listTrees,
  type PlacedNode,
  type StoredRow,
  type TreeRow,
  updatePlace,
  updateSatId,
} from './queries.ts'

/** Maximum inscriptions in the coins of a batch. */
const MAX_ROWS = 10_000
/** Coins whose location belongs to another coin lead to that coin. */
const MAX_ROUNDS = 10

interface Place extends Outpoint {
  offset: number
  output: { valueSats: number; script: Uint8Array } | null
}

interface Node {
  satId: number
  place: Place
  children: Node[]
}

interface Coins {
  satIds: number[]
  outpoints: Outpoint[]
}

/** How to correct the coins of some inscriptions. */
export interface PlaceRepair {
  /** The trees that were planned for. */
  coins: Coins
  rows: readonly TreeRow[]
  nodes: PlacedNode[]
  /** Inscriptions that name the wrong sat. */
  moves: { sequence: number; satId: number }[]
  inscriptionIds: string[]
}

/**
 * Finds out how to correct the locations of inscriptions. Keeps the shape of each tree, so that the index can still undo blocks: it cannot
 * take a coin apart or merge two. Returns null if that would be needed, or if the source does not know an inscription in the same coin.
 */
export async function planPlaces(
  sql: Queryable,
  source: Pick<FactSource, 'inscriptions' | 'outputs'>,
  wrong: readonly StoredRow[],
): Promise<PlaceRepair | null> {
  const satIds = wrong.map(({ satId }) => satId)
  let coins: Coins = { satIds, outpoints: [] }
  const places = new Map<string, Place>()
  await fetchPlaces(
    source,
    wrong.map(({ inscriptionId }) => inscriptionId),
    places,
  )
  let rows: TreeRow[] = []
  for (let round = 0, known = -1; known !== rows.length; round++) {
    known = rows.length
    coins = { satIds, outpoints: [...places.values()] }
    rows = await listTrees(sql, coins, MAX_ROWS + 1)
    if (rows.length > MAX_ROWS || round === MAX_ROUNDS) return null
    await fetchPlaces(
      source,
      rows.flatMap(({ inscriptionId }) => inscriptionId ?? []).filter((id) => !places.has(id)),
      places,
    )
  }
  const roots = treesOf(rows, places)
  const plan = roots && planOf(rows, roots, places, wrong)
  return plan && { ...plan, coins, rows }
}

/** Corrects locations, also of watched inscriptions. Does nothing and returns false if adoption has changed the coins since. */
export async function repairPlaces(
  tx: Transaction,
  { coins, rows, nodes, moves, inscriptionIds }: PlaceRepair,
): Promise<boolean> {
  if (!isDeepStrictEqual([...(await listTrees(tx, coins, MAX_ROWS + 1))], [...rows])) return false
  for (const node of nodes) await updatePlace(tx, node)
  for (const { sequence, satId } of moves) await updateSatId(tx, sequence, satId)
  await updateWatched(tx, inscriptionIds)
  return true
}

async function fetchPlaces(
  source: Pick<FactSource, 'inscriptions' | 'outputs'>,
  ids: readonly string[],
  places: Map<string, Place>,
): Promise<void> {
  const found = (await source.inscriptions(ids)).map(({ id, satpoint }) => ({
    id,
    outpoint: parseOutpoint(satpoint),
    offset: Number(satpoint.split(':')[2]),
  }))
  const outpoints = found.map(({ outpoint }) => outpoint).filter(({ txid }) => !isNoTxid(txid))
  const outputs = new Map((await source.outputs(outpoints)).map((each) => [each.outpoint, each]))
  for (const { id, outpoint, offset } of found) {
    const output = outputs.get(formatOutpoint(outpoint))
    if (!output && !isNoTxid(outpoint.txid)) continue
    places.set(id, {
      ...outpoint,
      offset,
      output: output ? { valueSats: output.value, script: hexToBytes(output.script_pubkey) } : null,
    })
  }
}

/** Returns the roots of the stored trees with their true locations; null if a location is unknown. */
function treesOf(rows: readonly TreeRow[], places: ReadonlyMap<string, Place>): Node[] | null {
  const nodes = new Map<number, Node>()
  for (const { satId, inscriptionId, sequence } of rows) {
    // The inscription that created the sat is on it for certain. Others may name it by mistake.
    const place = inscriptionId === null ? undefined : places.get(inscriptionId)
    if (place && (sequence === satId || !nodes.has(satId))) nodes.set(satId, { satId, place, children: [] })
  }
  const roots = new Set<Node>()
  for (const { satId, parentId } of new Map(rows.map((row) => [row.satId, row])).values()) {
    const node = nodes.get(satId)
    const parent = parentId === null ? null : nodes.get(parentId)
    if (!node || parent === undefined) return null
    if (parent) parent.children.push(node)
    else roots.add(node)
  }
  return [...roots]
}

function planOf(
  rows: readonly TreeRow[],
  roots: readonly Node[],
  places: ReadonlyMap<string, Place>,
  wrong: readonly StoredRow[],
): Omit<PlaceRepair, 'coins' | 'rows'> | null {
  const coins = new Set<string>()
  const plan: Omit<PlaceRepair, 'coins' | 'rows'> = { nodes: [], moves: [], inscriptionIds: [] }
  const satAt = new Map<string, number>()
  for (const root of roots) {
    const { place } = root
    const coin = formatOutpoint(place)
    const offsets: number[] = []
    if (place.output && coins.has(coin)) return null
    coins.add(coin)
    if (!placeNodes(root, null, [-Infinity, Infinity], plan.nodes, offsets, satAt)) return null
    plan.nodes.find(({ satId }) => satId === root.satId)!.place = {
      txid: place.txid,
      vout: place.vout,
      valueSats: place.output?.valueSats ?? null,
      script: place.output?.script ?? null,
      low: Math.min(...offsets),
      high: Math.max(...offsets),
    }
  }
  const seen = new Map(rows.flatMap((row) => (row.inscriptionId === null ? [] : [[row.inscriptionId, row]])))
  for (const [inscriptionId, { sequence, onSat }] of seen) {
    const satId = satAt.get(keyOf(places.get(inscriptionId)!))
    if (satId === undefined) return null
    if (satId !== onSat) plan.moves.push({ sequence: sequence!, satId })
    plan.inscriptionIds.push(inscriptionId)
  }
  return wrong.every(({ inscriptionId }) => seen.has(inscriptionId)) ? plan : null
}

/** Adds the corrected nodes of a tree. Returns false if the tree does not have the order of the true offsets. */
function placeNodes(
  node: Node,
  parent: Node | null,
  [low, high]: [number, number],
  nodes: PlacedNode[],
  offsets: number[],
  satAt: Map<string, number>,
): boolean {
  const { place, children, satId } = node
  const { offset } = place
  if (offset <= low || offset >= high || (parent && formatOutpoint(parent.place) !== formatOutpoint(place)))
    return false
  nodes.push({ satId, satOffset: parent ? offset - parent.place.offset : offset, place: null })
  offsets.push(offset)
  satAt.set(keyOf(place), satId)
  const left = children.filter((child) => child.place.offset < offset)
  const right = children.filter((child) => child.place.offset >= offset)
  if (left.length > 1 || right.length > 1) return false
  return (
    left.every((child) => placeNodes(child, node, [low, offset], nodes, offsets, satAt)) &&
    right.every((child) => placeNodes(child, node, [offset, high], nodes, offsets, satAt))
  )
}

const keyOf = (place: Place) => `${formatOutpoint(place)}:${place.offset}`
