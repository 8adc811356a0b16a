import { type Envelope, envelopesOf } from './envelope.ts'
import type { Inscribed, InscriptionCounters, Position } from './inscription-events.ts'
import { LOST, type Outpoint, UNBOUND } from './outpoint.ts'
import type { BlockTransaction } from './raw-block.ts'
import {
  type CoinMove,
  findSat,
  type Opening,
  type Piece,
  placeOfSat,
  type SatNode,
  type SatTrees,
} from './sat-tree.ts'
import { sumSats } from './sats.ts'
import type { TxOutput } from './transaction.ts'

/** Trees of inscribed sats by output. */
export interface Coins {
  /** Removes and returns the tree of an output. */
  take(outpoint: Outpoint): SatNode | null
  put(outpoint: Outpoint, root: SatNode): void
  /** Returns false if no output of the transaction is inscribed. Takes a `keyOfTxid` key. */
  has(key: number): boolean
}

/** A piece of a transaction. `from` is null for new inscriptions. */
type Source = Piece & { from: { outpoint: Outpoint; output: TxOutput; start: number } | null }

type Fresh = Omit<Inscribed, 'kind' | 'sequence' | 'number' | 'satId' | 'bornIn' | 'to'> & {
  /** Position in the transaction's sats. */
  offset: number
  /** Null for unbound inscriptions, and until `layFresh` assigns a node. */
  node: SatNode | null
  makesNode: boolean
}

/** Earlier inscriptions on a sat. */
interface OnSat {
  isCursed: boolean
  isReinscribed: boolean
}

interface State {
  counters: InscriptionCounters
  coins: Coins
  trees: SatTrees
  /** Sats of possible parents, by inscription id. */
  parents: Map<string, SatNode>
}

/**
 * Applies a block by ord's rules. Sats flow first in, first out through each transaction, and fees into the coinbase after the subsidy.
 * Inscriptions that break a rule are cursed before the jubilee and vindicated after it. Updates the state in place. Returns new
 * inscriptions in numbering order, and moved coins. Yields no nodes after each transaction.
 */
export function* flowCoins(
  transactions: readonly BlockTransaction[],
  options: State & { subsidySats: number; jubilant: boolean },
): Opening<{ inscribed: Inscribed[]; moves: CoinMove[] }> {
  const { counters, coins, trees } = options
  const inscribed: Inscribed[] = []
  const moves: CoinMove[] = []
  let reward = options.subsidySats
  const fees: { pieces: Source[]; fresh: Fresh[] } = { pieces: [], fresh: [] }
  const number = numbererOf(options, inscribed)

  // Process the coinbase last, because it receives the fees.
  for (let n = 1; n <= transactions.length; n++) {
    const index = n % transactions.length
    const transaction = transactions[index]!
    const isCoinbase = index === 0
    if (!isCoinbase && !transaction.mayInscribe && !transaction.spendsOf(coins)) {
      reward += transaction.feeSats
      continue
    }
    const { txid, outputs } = transaction
    const { pieces, fresh } = isCoinbase ? fees : yield* inputsOf(transaction, options)
    const closed = pieces.filter((piece) => !piece.node.isOpen)
    // Joins need them. One query loads all.
    if (closed.length > 1) yield closed.map((piece) => piece.node)
    const laid = yield* layFresh(trees, pieces, fresh)
    let nextPiece = 0
    let nextFresh = 0
    const land = (landed: Source[], start: number, to: Outpoint, toOutput: TxOutput | null) =>
      landPieces(options, moves, { txid, index }, landed, { start, to, toOutput })
    let start = 0
    for (const [vout, output] of outputs.entries()) {
      if (nextPiece === laid.length && nextFresh === fresh.length) {
        start += output.valueSats
        continue
      }
      const end = start + output.valueSats
      const outpoint = { txid, vout }
      for (; nextFresh < fresh.length && fresh[nextFresh]!.offset < end; nextFresh++)
        number(fresh[nextFresh]!, { outpoint, offset: fresh[nextFresh]!.offset - start, output })
      const landed: Source[] = []
      for (; nextPiece < laid.length && laid[nextPiece]!.low < end; nextPiece++) {
        const piece = laid[nextPiece]!
        if (piece.high < end) {
          landed.push(piece)
          continue
        }
        const [inside, beyond] = yield* trees.split(piece, end)
        landed.push({ ...inside, from: piece.from })
        laid[nextPiece] = { ...beyond, from: piece.from }
        break
      }
      yield* land(landed, start, outpoint, output)
      start = end
    }
    if (isCoinbase) {
      const lostFrom = start - counters.lostSats
      for (const inscription of fresh.slice(nextFresh))
        number(inscription, { outpoint: LOST, offset: inscription.offset - lostFrom, output: null })
      for (const piece of laid.slice(nextPiece)) yield* land([piece], lostFrom, LOST, null)
      counters.lostSats += reward - start
    } else {
      const shift = reward - start
      for (const each of fresh.slice(nextFresh)) fees.fresh.push({ ...each, offset: each.offset + shift })
      for (const piece of laid.slice(nextPiece)) fees.pieces.push(shifted(piece, shift))
      reward += transaction.feeSats
    }
    yield []
  }
  return { inscribed, moves }
}

/** Numbers new inscriptions of a block. */
function numbererOf({ counters, trees, parents }: State, inscribed: Inscribed[]) {
  /** Ids numbered in this block. A parent must have a lower number than its child. */
  const numbered = new Set<string>()
  return ({ node, makesNode, offset, ...fresh }: Fresh, to: Position): void => {
    const sequence = counters.nextSequence++
    const bornIn = !to.output ? 'lost' : to.output.script[0] === OP_RETURN ? 'op_return' : null
    if (fresh.unbound) {
      node = trees.make(fresh.cursed || fresh.vindicated)
      to = { outpoint: UNBOUND, offset: counters.unbound++, output: null }
    }
    if (fresh.unbound || makesNode) node!.id = node!.first = sequence
    else node!.isReinscribed = true
    if (fresh.unbound) trees.put(pieceOf(node!, to.offset), 0, UNBOUND, null)
    else parents.set(fresh.inscriptionId, node!)
    const own = fresh.inscriptionId.slice(0, 64)
    inscribed.push({
      ...fresh,
      kind: 'inscribed',
      sequence,
      number: fresh.cursed ? -++counters.cursed : counters.blessed++,
      parents: fresh.parents.filter((parent) => !parent.startsWith(own) || numbered.has(parent)),
      satId: node!.id,
      bornIn,
      to,
    })
    numbered.add(fresh.inscriptionId)
  }
}

/** Merges the pieces of an output and records their moves. */
function* landPieces(
  { trees, coins }: State,
  moves: CoinMove[],
  by: { txid: string; index: number },
  landed: readonly Source[],
  { start, to, toOutput }: { start: number; to: Outpoint; toOutput: TxOutput | null },
): Opening<void> {
  let joined: Piece | null = null
  for (const { from, ...piece } of landed) {
    if (from)
      moves.push({
        txid: by.txid,
        transactionIndex: by.index,
        from: from.outpoint,
        fromOutput: from.output,
        fromOffset: piece.low - from.start,
        span: piece.high - piece.low,
        to,
        toOutput,
        toOffset: piece.low - start,
        first: piece.node.first,
      })
    joined = joined ? yield* trees.join(joined, piece) : piece
  }
  if (!joined) return
  trees.put(joined, start, to, toOutput)
  if (toOutput) coins.put(to, joined.node) // lost sats are never spent
}

const read = new WeakMap<BlockTransaction, Envelope[]>()

export function envelopesIn(transaction: BlockTransaction): readonly Envelope[] {
  const known = read.get(transaction)
  if (known) return known
  const envelopes = envelopesOf(transaction.tx)
  read.set(transaction, envelopes)
  return envelopes
}

const OP_RETURN = 0x6a

const pieceOf = (node: SatNode, at: number): Piece => ({ node, at, low: at, high: at })

const shifted = ({ node, at, low, high, from }: Source, by: number): Source => ({
  node,
  at: at + by,
  low: low + by,
  high: high + by,
  from: from && { ...from, start: from.start + by },
})

/** Returns the inscribed sats that a transaction spends, and its new inscriptions. */
function* inputsOf(
  transaction: BlockTransaction,
  { jubilant, coins, parents }: { jubilant: boolean; coins: Coins; parents: Map<string, SatNode> },
): Opening<{ pieces: Source[]; fresh: Fresh[] }> {
  const { txid, prevouts } = transaction
  const pieces: Source[] = []
  const roots = new Set<SatNode>()
  const fresh: Fresh[] = []
  const envelopes = transaction.mayInscribe ? envelopesIn(transaction) : []
  const outputSats = envelopes.length > 0 ? sumSats(transaction.outputs.map((each) => each.valueSats)) : 0
  const here = new Map<number, OnSat>()
  const onSat = function* (position: number): Opening<OnSat | null> {
    return here.get(position) ?? (yield* findIn(pieces, position))
  }
  let nextEnvelope = 0
  let inputSats = 0
  for (const [index, outpoint] of transaction.outpoints.entries()) {
    const output = prevouts[index]!
    const start = inputSats
    const root = coins.take(outpoint)
    if (root) {
      roots.add(root)
      const { low, high } = root.place!
      const piece = { node: root, at: root.offset, low, high, from: { outpoint, output, start: 0 } }
      pieces.push(shifted(piece, start))
    }
    inputSats += output.valueSats
    for (; envelopes[nextEnvelope]?.input === index; nextEnvelope++) {
      const envelope = envelopes[nextEnvelope]!
      const cursedByRules = isCursed(envelope, yield* onSat(start))
      const offset = envelope.pointer !== null && envelope.pointer < outputSats ? envelope.pointer : start
      const before = yield* onSat(offset)
      fresh.push({
        inscriptionId: `${txid}i${fresh.length}`,
        offset,
        node: null,
        makesNode: false,
        envelope,
        inputOffset: offset,
        cursed: cursedByRules && !jubilant,
        vindicated: cursedByRules && jubilant,
        unbound: output.valueSats === 0 || envelope.unrecognizedEvenField,
        reinscription: before !== null,
        parents: [...new Set(envelope.parents)],
        feeSats: 0,
      })
      // Like ord, treat this inscription as the first on its sat for later envelopes.
      here.set(offset, { isCursed: before?.isCursed ?? cursedByRules, isReinscribed: before !== null })
    }
  }
  const newIds = new Set(fresh.map((each) => each.inscriptionId))
  const isPresent = (parent: string) => {
    const node = parents.get(parent)
    return newIds.has(parent) || (node !== undefined && roots.has(placeOfSat(node).root))
  }
  for (const each of fresh) {
    each.parents = each.parents.filter(isPresent)
    each.feeSats = Math.floor(transaction.feeSats / fresh.length)
  }
  return { pieces, fresh: fresh.sort((a, b) => a.offset - b.offset) }
}

/** Binary-searches sorted pieces for a sat. */
function* findIn(pieces: readonly Piece[], position: number): Opening<SatNode | null> {
  let [low, high] = [0, pieces.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (pieces[middle]!.high < position) low = middle + 1
    else high = middle
  }
  const piece = pieces[low]
  return piece && piece.low <= position ? yield* findSat(piece, position) : null
}

/** Assigns sats to new inscriptions. Both inputs are sorted. */
function* layFresh(trees: SatTrees, pieces: readonly Source[], fresh: readonly Fresh[]): Opening<Source[]> {
  if (fresh.every((each) => each.unbound || each.node)) return [...pieces]
  const laid: Source[] = []
  let next = 0
  let piece = pieces[next]
  let last: Fresh | null = null
  for (const each of fresh) {
    if (each.unbound) continue
    const { offset } = each
    if (last?.offset === offset) each.node = last.node
    else {
      for (; piece && piece.high < offset; piece = pieces[++next]) laid.push(piece)
      each.node = piece && piece.low <= offset ? yield* findSat(piece, offset) : null
      if (!each.node) {
        each.makesNode = true
        each.node = trees.make(each.cursed || each.vindicated)
        if (piece && piece.low < offset) {
          const [left, right]: [Piece, Piece] = yield* trees.split(piece, offset)
          laid.push({ ...left, from: piece.from })
          piece = { ...right, from: piece.from }
        }
        laid.push({ ...pieceOf(each.node, offset), from: null })
      }
    }
    last = each
  }
  for (; piece; piece = pieces[++next]) laid.push(piece)
  return laid
}

/** Applies ord's curses, in ord's order. */
function isCursed(envelope: Envelope, onSat: OnSat | null): boolean {
  return (
    envelope.unrecognizedEvenField ||
    envelope.duplicateField ||
    envelope.incompleteField ||
    envelope.input !== 0 ||
    envelope.offset !== 0 ||
    envelope.hasPointer ||
    envelope.pushnum ||
    envelope.stutter ||
    (onSat !== null && (onSat.isReinscribed || !onSat.isCursed))
  )
}
