import { envelopesOf } from './envelope.ts'
import { subsidyAt } from './inscription-flow.ts'
import { formatOutpoint, isNoTxid, type Outpoint } from './outpoint.ts'
import { sumSats } from './sats.ts'
import { revealsOf } from './trace.ts'
import type { Tx } from './transaction.ts'

/** What a coin is known to hold: no inscription, the one that was found first, or nothing certain. */
export type Contents =
  | { kind: 'plain' }
  | ({ kind: 'inscribed' } & LocatedInscription)
  | { kind: 'unproven'; reason: string }

/** An inscription in a coin, and the offset of its sat from the first of the coin. */
export interface LocatedInscription {
  inscriptionId: string
  offset: number
}

export interface ContentsSource {
  /** A transaction, and the height of its block; null in the mempool. */
  fetch(txid: string): Promise<{ tx: Tx; height: number | null }>
  /** No transaction below this height reveals an inscription. */
  firstInscriptionHeight: number
  halvingInterval: number
}

/** Most transactions that are read for one coin, and a time (`performance.now()`) after which it counts as unproven. */
export interface ContentsLimits {
  mostTransactions: number
  until: number
}

/** Sats `from` to `to` of an output, which begin at offset `at` of the coin. */
interface Range extends Outpoint {
  from: number
  to: number
  at: number
}

/**
 * Follows all sats of a coin back, first in first out (ord handbook, "Ordinal Theory"), and looks for reveals on the way. A way ends at a
 * block's subsidy, below the first inscription, and at an outpoint of `known`, whose whole coin was found plain before. What a coinbase
 * pays out of fees could be an inscription that was spent as fee: then the coin is unproven. Rejects as `fetch` does.
 */
export async function traceContents(
  coin: Outpoint,
  source: ContentsSource,
  limits: ContentsLimits,
  known: ReadonlySet<string> = new Set(),
): Promise<Contents> {
  try {
    for await (const found of inscriptionsIn(coin, source, limits, known))
      return { kind: 'inscribed', ...found }
    return { kind: 'plain' }
  } catch (error) {
    if (error instanceof OutOfReach) return { kind: 'unproven', reason: error.message }
    throw error
  }
}

/** The same for a coin that is to be split: all inscriptions in it, in the order of their sats, or the reason why they are unproven. */
export async function traceAllContents(
  coin: Outpoint,
  source: ContentsSource,
  limits: ContentsLimits,
): Promise<{ inscriptions: LocatedInscription[] } | { unproven: string }> {
  try {
    const inscriptions: LocatedInscription[] = []
    for await (const found of inscriptionsIn(coin, source, limits, new Set())) inscriptions.push(found)
    return { inscriptions: inscriptions.toSorted((a, b) => a.offset - b.offset) }
  } catch (error) {
    if (error instanceof OutOfReach) return { unproven: error.message }
    throw error
  }
}

/** Yields the inscriptions of a coin as they are found. Throws OutOfReach if the sats cannot be followed. */
async function* inscriptionsIn(
  coin: Outpoint,
  source: ContentsSource,
  { mostTransactions, until }: ContentsLimits,
  known: ReadonlySet<string>,
): AsyncGenerator<LocatedInscription, void> {
  const read = new Map<string, Awaited<ReturnType<ContentsSource['fetch']>>>()
  const demandTime = () => {
    if (performance.now() > until) throw new OutOfReach('following its sats back takes too long')
  }
  const fetch = async (txid: string) => {
    const found = read.get(txid)
    if (found) return found
    if (read.size >= mostTransactions)
      throw new OutOfReach(`more than ${mostTransactions} transactions lead to it`)
    demandTime()
    const fetched = await source.fetch(txid)
    read.set(txid, fetched)
    return fetched
  }
  const outputOf = async ({ txid, vout }: Outpoint) => {
    const output = (await fetch(txid)).tx.outputs[vout]
    if (!output) throw new OutOfReach(`${txid} has no output ${vout}`)
    return output
  }
  if (known.has(formatOutpoint(coin))) return
  // The whole output: its value comes from the chain, not from the market.
  const { valueSats } = await outputOf(coin)
  const ranges: Range[] = [{ ...coin, from: 0, to: valueSats, at: 0 }]
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    demandTime()
    if (known.has(formatOutpoint(range))) continue
    const { tx, height } = await fetch(range.txid)
    if (height !== null && height < source.firstInscriptionHeight) continue
    const start = sumSats(tx.outputs.slice(0, range.vout).map((output) => output.valueSats)) + range.from
    const end = start + range.to - range.from
    if (isCoinbase(tx)) {
      if (height === null || end > subsidyAt(height, source.halvingInterval))
        throw new OutOfReach(`block ${height} paid it out of fees, which hold whatever was spent as fee`)
      continue
    }
    const reveals = envelopesOf(tx).length > 0
    const values: number[] = []
    // A pointer can place an inscription anywhere, so a reveal needs the values of all inputs.
    for (let total = 0; values.length < tx.inputs.length && (reveals || total < end); ) {
      const { valueSats } = await outputOf(tx.inputs[values.length]!)
      values.push(valueSats)
      total += valueSats
    }
    if (reveals) yield* revealedIn(tx, values, range)
    ranges.push(...inputRanges(tx, values, { start, end, at: range.at }))
  }
}

class OutOfReach extends Error {}

const isCoinbase = ({ inputs }: Tx) => inputs.every(({ txid }) => isNoTxid(txid))

/** The inscriptions that a reveal puts into a range of its outputs. */
function* revealedIn(tx: Tx, values: readonly number[], range: Range): Generator<LocatedInscription> {
  for (const { inscriptionId, to } of revealsOf(tx, values)) {
    const { outpoint, offset } = to
    if (
      outpoint.txid === range.txid &&
      outpoint.vout === range.vout &&
      offset >= range.from &&
      offset < range.to
    )
      yield { inscriptionId, offset: range.at + offset - range.from }
  }
}

/** The ranges of inputs that fill the outputs of a transaction from `start` to `end`, counted over all outputs. */
function inputRanges(
  tx: Tx,
  values: readonly number[],
  { start, end, at }: { start: number; end: number; at: number },
): Range[] {
  const ranges: Range[] = []
  let first = 0
  for (const [n, valueSats] of values.entries()) {
    const [from, to] = [Math.max(start - first, 0), Math.min(end - first, valueSats)]
    const { txid, vout } = tx.inputs[n]!
    if (from < to) ranges.push({ txid, vout, from, to, at: at + first + from - start })
    first += valueSats
  }
  return ranges
}
