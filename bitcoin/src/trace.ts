import { BitcoinError } from './errors.ts'
import { Holdings } from './holdings.ts'
import { flowBlock } from './inscription-flow.ts'
import { parseInscriptionId } from './inscription-id.ts'
import { formatOutpoint, formatSatpoint, isNoTxid, type Outpoint } from './outpoint.ts'
import { blockTransactionOf } from './raw-block.ts'
import { sumSats } from './sats.ts'
import type { Tx } from './transaction.ts'

/** Maximum number of transactions to fetch, and the deadline (`performance.now()`). */
export interface TraceLimits {
  mostTransactions: number
  until: number
}

/**
 * Traces a sat back to the reveal of an inscription. Returns its locations, oldest first. Throws `inscription-misplaced` if another sat was
 * inscribed, the coin has no sat at the offset, or the sat passed through a coinbase. Throws `trace-too-long` beyond the limits.
 */
export async function traceBack(
  inscriptionId: string,
  coin: Outpoint,
  satOffset: number,
  fetch: (txid: string) => Promise<Tx>,
  limits: TraceLimits,
): Promise<string[]> {
  const misplaced = (reason: string) => new BitcoinError('inscription-misplaced', reason)
  const id = parseInscriptionId(inscriptionId)
  if (!id) throw misplaced(`${inscriptionId} is not an inscription id`)
  const read = limited(fetch, limits, inscriptionId)
  let at = { txid: coin.txid, vout: coin.vout, offset: satOffset }
  let tx = await read(at.txid)
  const path: string[] = []
  for (;;) {
    path.unshift(formatSatpoint(at, at.offset))
    if (!isInside(at.offset, tx.outputs[at.vout]?.valueSats))
      throw misplaced(`${formatOutpoint(at)} has no sat at offset ${at.offset}`)
    const isReveal = at.txid === id.txid
    const values: number[] = []
    const parents = new Map<string, Tx>()
    let position = sumSats(tx.outputs.slice(0, at.vout).map((output) => output.valueSats)) + at.offset
    let source: Outpoint | undefined
    // A pointer can place an inscription at any sat, so a reveal needs all input values.
    for (const input of tx.inputs) {
      if (source && !isReveal) break
      if (isNoTxid(input.txid))
        throw misplaced(`${inscriptionId} passed through a coinbase, so its sat cannot be traced`)
      const parent = parents.get(input.txid) ?? (await read(input.txid))
      parents.set(input.txid, parent)
      const output = parent.outputs[input.vout]
      if (!output) throw misplaced(`${formatOutpoint(input)}, which ${at.txid} spends, does not exist`)
      values.push(output.valueSats)
      if (source) continue
      if (position < output.valueSats) source = input
      else position -= output.valueSats
    }
    if (isReveal) {
      if (revealedAt(tx, values, inscriptionId) !== path[0])
        throw misplaced(`the sold sat is not the sat of ${inscriptionId}`)
      return path
    }
    if (!source)
      throw misplaced(`no input of ${at.txid} holds the sat at offset ${at.offset} of output ${at.vout}`)
    tx = parents.get(source.txid)!
    at = { txid: source.txid, vout: source.vout, offset: position }
  }
}

/** Limits the reads of a transaction source. Reads throw `trace-too-long` beyond the limits. */
function limited(
  fetch: (txid: string) => Promise<Tx>,
  { mostTransactions, until }: TraceLimits,
  inscriptionId: string,
): (txid: string) => Promise<Tx> {
  const tooLong = (reason: string) =>
    new BitcoinError('trace-too-long', `the coin of ${inscriptionId} could not be proven: ${reason}`)
  let reads = 0
  return (txid) => {
    if (performance.now() >= until) throw tooLong('tracing its sat takes too long')
    if (++reads > mostTransactions)
      throw tooLong(`tracing its sat requires more than ${mostTransactions} transactions`)
    return fetch(txid)
  }
}

const isInside = (offset: number, valueSats = 0): boolean =>
  Number.isSafeInteger(offset) && offset >= 0 && offset < valueSats

/** Returns the satpoint of an inscription after its reveal, or null. */
function revealedAt(tx: Tx, values: readonly number[], inscriptionId: string): string | null {
  const event = revealsOf(tx, values).find((reveal) => reveal.inscriptionId === inscriptionId)
  return event ? formatSatpoint(event.to.outpoint, event.to.offset) : null
}

/** Returns the inscriptions revealed in a transaction. `values` are its input values. */
export function revealsOf(tx: Tx, values: readonly number[]) {
  const nothing = new Uint8Array()
  const coinbase: Tx = { version: 2, locktime: 0, inputs: [], outputs: [{ valueSats: 0, script: nothing }] }
  const prevouts = values.map((valueSats) => ({ valueSats, script: nothing }))
  return flowBlock([blockTransactionOf(coinbase, []), blockTransactionOf(tx, prevouts)], {
    subsidySats: 0,
    jubilant: true,
    counters: { nextSequence: 0, blessed: 0, cursed: 0, unbound: 0, lostSats: 0 },
    located: new Holdings(),
  })
}
