import { BitcoinError } from './errors.ts'
import { Holdings } from './holdings.ts'
import { flowBlock } from './inscription-flow.ts'
import { parseInscriptionId } from './inscription-id.ts'
import { formatOutpoint, formatSatpoint, isNoTxid, type Outpoint } from './outpoint.ts'
import { blockTransactionOf } from './raw-block.ts'
import { sumSats } from './sats.ts'
import type { Tx } from './transaction.ts'

const MAX_STEPS = 10_000

/**
 * Traces a sat back to the reveal of an inscription. Returns its locations, oldest first. Throws `inscription-misplaced` if another sat was
 * inscribed, the coin has no sat at the offset, or the sat passed through a coinbase.
 */
export async function traceBack(
  inscriptionId: string,
  coin: Outpoint,
  satOffset: number,
  fetch: (txid: string) => Promise<Tx>,
): Promise<string[]> {
  const misplaced = (reason: string) => new BitcoinError('inscription-misplaced', reason)
  const id = parseInscriptionId(inscriptionId)
  if (!id) throw misplaced(`${inscriptionId} is not an inscription id`)
  let at = { txid: coin.txid, vout: coin.vout, offset: satOffset }
  const path: string[] = []
  for (let step = 0; step < MAX_STEPS; step++) {
    path.unshift(formatSatpoint(at, at.offset))
    const tx = await fetch(at.txid)
    if (!isInside(at.offset, tx.outputs[at.vout]?.valueSats))
      throw misplaced(`${formatOutpoint(at)} has no sat at offset ${at.offset}`)
    const values: number[] = []
    for (const input of tx.inputs) {
      if (isNoTxid(input.txid))
        throw misplaced(`${inscriptionId} passed through a coinbase, so its sat cannot be traced`)
      const output = (await fetch(input.txid)).outputs[input.vout]
      if (!output) throw misplaced(`${formatOutpoint(input)}, which ${at.txid} spends, does not exist`)
      values.push(output.valueSats)
    }
    if (at.txid === id.txid) {
      if (revealedAt(tx, values, inscriptionId) !== path[0])
        throw misplaced(`the sold sat is not the sat of ${inscriptionId}`)
      return path
    }
    let position = sumSats(tx.outputs.slice(0, at.vout).map((output) => output.valueSats)) + at.offset
    const index = values.findIndex((valueSats) => {
      if (position < valueSats) return true
      position -= valueSats
      return false
    })
    const input = tx.inputs[index]
    if (!input)
      throw misplaced(`no input of ${at.txid} holds the sat at offset ${at.offset} of output ${at.vout}`)
    const { txid, vout } = input
    at = { txid, vout, offset: position }
  }
  throw misplaced(`${inscriptionId} moved more than ${MAX_STEPS} times`)
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
