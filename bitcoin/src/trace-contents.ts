import { envelopesOf } from './envelope.ts'
import { subsidyAt } from './inscription-flow.ts'
import { formatOutpoint, isNoTxid, type Outpoint } from './outpoint.ts'
import { sumSats } from './sats.ts'
import { revealsOf, type TraceLimits } from './trace.ts'
import type { Tx } from './transaction.ts'

/** Contents of a coin. Only the first inscription is reported. */
export type Contents =
  | { kind: 'plain' }
  | ({ kind: 'inscribed' } & LocatedInscription)
  | { kind: 'unproven'; reason: string }

export interface LocatedInscription {
  inscriptionId: string
  offset: number
}

export interface ContentsSource {
  /** Fetches a transaction. The height is null in the mempool. */
  fetch(txid: string): Promise<{ tx: Tx; height: number | null }>
  /** No inscription was revealed below this height. */
  firstInscriptionHeight: number
  halvingInterval: number
}

/** Sats `from` to `to` of an output. `at` is their offset in the coin. */
interface Range extends Outpoint {
  from: number
  to: number
  at: number
}

/**
 * Traces the sats of a coin back and searches for reveals. Stops at subsidies, below the first inscription height, and at the plain coins
 * in `known`. Sats from fees are unproven, because fees can contain inscriptions. Rejects if `fetch` rejects.
 */
export async function traceContents(
  coin: Outpoint,
  source: ContentsSource,
  limits: TraceLimits,
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

/** Like `traceContents`, but returns all inscriptions in sat order. */
export async function traceAllContents(
  coin: Outpoint,
  source: ContentsSource,
  limits: TraceLimits,
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

/** Yields the inscriptions of a coin in any order. Throws OutOfReach if sats cannot be traced. */
async function* inscriptionsIn(
  coin: Outpoint,
  source: ContentsSource,
  { mostTransactions, until }: TraceLimits,
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
  // Read the value from the chain instead of trusting the market.
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
    // A pointer can place an inscription at any sat, so a reveal needs all input values.
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

/** Yields the inscriptions that a reveal places in a range. */
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

/** Returns the input ranges that fill a range of outputs. */
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
