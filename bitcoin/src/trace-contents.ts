import { envelopesOf } from './envelope.ts'
import { subsidyAt } from './inscription-flow.ts'
import { formatOutpoint, isNoTxid, type Outpoint } from './outpoint.ts'
import { sumSats } from './sats.ts'
import { revealsOf } from './trace.ts'
import type { Tx } from './transaction.ts'

/** Known contents of a coin: no inscription, its first found inscription, or unproven. */
export type Contents =
  | { kind: 'plain' }
  | ({ kind: 'inscribed' } & LocatedInscription)
  | { kind: 'unproven'; reason: string }

/** An inscription in a coin, and its sat's offset in the coin. */
export interface LocatedInscription {
  inscriptionId: string
  offset: number
}

export interface ContentsSource {
  /** Returns a transaction and its block height; null in the mempool. */
  fetch(txid: string): Promise<{ tx: Tx; height: number | null }>
  /** No transaction below this height reveals an inscription. */
  firstInscriptionHeight: number
  halvingInterval: number
}

/** Maximum number of transactions to read, and the deadline (`performance.now()`). A coin that exceeds them is unproven. */
export interface ContentsLimits {
  mostTransactions: number
  until: number
}

/** Sats `from` to `to` of an output, which begin at offset `at` in the coin. */
interface Range extends Outpoint {
  from: number
  to: number
  at: number
}

/**
 * Traces all sats of a coin back, first in first out (ord handbook, "Ordinal Theory"), and searches the transactions for reveals. A path
 * ends at a block's subsidy, below the first inscription height, and at an outpoint in `known`: coins that were found plain. A coin is
 * unproven if a coinbase paid it out of fees, because the fees could include an inscription. Rejects if `fetch` does.
 */
export async function traceContents(
  coin: Outpoint,
  source: ContentsSource,
  limits: ContentsLimits,
  known: ReadonlySet<string> = new Set(),
): Promise<Contents> {
  try {
    for await (const inscription of inscriptionsIn(coin, source, limits, known))
      return { kind: 'inscribed', ...inscription }
    return { kind: 'plain' }
  } catch (error) {
    if (error instanceof OutOfReach) return { kind: 'unproven', reason: error.message }
    throw error
  }
}

/** Same as `traceContents`, but returns all inscriptions of the coin in sat order, or the reason why they are unproven. */
export async function traceAllContents(
  coin: Outpoint,
  source: ContentsSource,
  limits: ContentsLimits,
): Promise<{ inscriptions: LocatedInscription[] } | { unproven: string }> {
  try {
    const inscriptions: LocatedInscription[] = []
    for await (const inscription of inscriptionsIn(coin, source, limits, new Set()))
      inscriptions.push(inscription)
    return { inscriptions: inscriptions.toSorted((a, b) => a.offset - b.offset) }
  } catch (error) {
    if (error instanceof OutOfReach) return { unproven: error.message }
    throw error
  }
}

/** Yields the inscriptions of a coin, in any order. Throws OutOfReach if the sats cannot be traced. */
async function* inscriptionsIn(
  coin: Outpoint,
  source: ContentsSource,
  { mostTransactions, until }: ContentsLimits,
  known: ReadonlySet<string>,
): AsyncGenerator<LocatedInscription, void> {
  const read = new Map<string, Awaited<ReturnType<ContentsSource['fetch']>>>()
  const assertInTime = () => {
    if (performance.now() > until) throw new OutOfReach('tracing its sats takes too long')
  }
  const fetch = async (txid: string) => {
    const cached = read.get(txid)
    if (cached) return cached
    if (read.size >= mostTransactions)
      throw new OutOfReach(`tracing its sats requires more than ${mostTransactions} transactions`)
    assertInTime()
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
  // Read the value from the chain instead of trusting the market, so that the whole output is traced.
  const { valueSats } = await outputOf(coin)
  const ranges: Range[] = [{ ...coin, from: 0, to: valueSats, at: 0 }]
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    assertInTime()
    if (known.has(formatOutpoint(range))) continue
    const { tx, height } = await fetch(range.txid)
    if (height !== null && height < source.firstInscriptionHeight) continue
    const start = sumSats(tx.outputs.slice(0, range.vout).map((output) => output.valueSats)) + range.from
    const end = start + range.to - range.from
    if (isCoinbase(tx)) {
      if (height === null || end > subsidyAt(height, source.halvingInterval))
        throw new OutOfReach(
          `the coinbase of block ${height} paid it out of fees, which can contain inscriptions`,
        )
      continue
    }
    const reveals = envelopesOf(tx).length > 0
    const values: number[] = []
    // A pointer can place an inscription at any sat, so a reveal needs the values of all inputs.
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

/** Yields the inscriptions that a reveal places in a range of its outputs. */
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

/** Returns the input ranges that fill the outputs of a transaction from `start` to `end`, counted across all outputs. */
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
