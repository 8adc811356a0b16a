import { LOST, type Outpoint, UNBOUND } from '@ordbook/bitcoin/outpoint.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { invalid, missing } from '@ordbook/db/process/errors.ts'
import type { ChainContext } from '../context.ts'
import { findTip } from '../inscriptions/queries.ts'
import { findSatIndex, findSatRanges } from '../sats/sat-queries.ts'
import { atOrd } from './at-ord.ts'
import type { NodeBlocks } from './recursive-blocks.ts'
import { findInOutput } from './recursive-queries.ts'

/** More inscriptions than fit into a block. */
const MAX_IDS = 1_000_000
/** Maximum size of a response, in bytes. */
export const MAX_OUTPUT = 4_000_000

interface OutputAnswer {
  inscriptions: string[]
  runes: unknown
  sat_ranges: [number, number][] | null
  value: number
}

/**
 * Returns an unspent output (`TXID:VOUT`) with ord's fields: inscriptions, value and, if the index numbers sats, sats. An index begun at
 * ord passes the request on. Throws `invalid`, missing or unavailable.
 */
export async function describeOutput(
  context: ChainContext,
  blocks: NodeBlocks,
  text: string,
): Promise<unknown> {
  const { reads, node, ord, base } = context
  const [, txid, index] = /^([0-9a-f]{64}):(0|[1-9]\d{0,9})$/i.exec(text) ?? []
  const outpoint = { txid: txid?.toLowerCase() ?? '', vout: Number(index) }
  if (!txid || outpoint.vout > 0xffffffff)
    throw invalid('request-invalid', 'The outpoint must have the form txid:vout.')
  const notFound = missing('chain-data-missing', `Output ${text} not found.`)
  if (base !== null)
    return atOrd(context, `r/utxo/${txid.toLowerCase()}:${outpoint.vout}`, notFound, {
      mostBytes: MAX_OUTPUT,
    }).read()
  const { ids, valueSats } = await findInOutput(reads, outpoint, MAX_IDS)
  const answer = (value: number, ranges: [number, number][] | null): OutputAnswer => ({
    inscriptions: ids,
    runes: null,
    sat_ranges: ranges,
    value,
  })
  if (isAt(outpoint, UNBOUND)) {
    if (ids.length === 0) throw notFound
    return answer(0, (await findSatIndex(reads)) === 'on' ? [] : null)
  }
  if (isAt(outpoint, LOST)) {
    const lostSats = (await findTip(reads))?.lostSats ?? 0
    if (lostSats === 0) throw notFound
    return answer(lostSats, await findSatRanges(reads, LOST))
  }
  const ranges = await findSatRanges(reads, outpoint)
  if (ranges) {
    return answer(sumSats(ranges.map(([from, to]) => to - from)), ranges)
  }
  if (ord) {
    // ord has the runes, and the sats if this index does not number them.
    const [output] = await ord.outputs([outpoint])
    if (!output || output.spent || !output.indexed) throw notFound
    const { inscriptions, runes, sat_ranges, value } = output
    return { inscriptions: inscriptions ?? ids, runes, sat_ranges, value }
  }
  if (valueSats !== null) return answer(valueSats, null)
  const value =
    (await node.txOut(outpoint, { mempool: false }))?.valueSats ?? (await blocks.unspendableValue(outpoint))
  if (value === null) throw notFound
  const isNumbered = (await findSatIndex(reads)) === 'on'
  // Without sats of this output, its block is not indexed yet.
  if (isNumbered && value > 0) throw notFound
  return answer(value, isNumbered ? [] : null)
}

const isAt = (a: Outpoint, b: Outpoint) => a.txid === b.txid && a.vout === b.vout
