import { keySpendOf, p2trScript } from '../address.ts'
import { bytesToHex, equalBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { formatOutpoint, type Outpoint } from '../outpoint.ts'
import { landingOf, offsetOfInput } from '../sat-flow.ts'
import { sumSats } from '../sats.ts'
import { type Tx, type TxOutput, txidOf } from '../transaction.ts'
import { generationOf } from './generation.ts'
import { buildPassthrough, type EscrowForm } from './passthrough.ts'

/** Effects of a settlement. Scripts are hex, amounts are sats. */
export interface SettlementFacts {
  settlementTxid: string
  /** M, hex. */
  marketKey: string
  items: {
    /** The inscription's coin before its transfer. */
    inscriptionCoin: string
    sellerScript: string
    escrow: string
    escrowForm: EscrowForm
    /** Generation of the settled leg. */
    generation: number
    postageSats: number
    payoutScript: string
    /** Payment to the seller with postage. */
    payoutSats: number
    /** Satpoint of the coin's first sat after the trade. */
    landing: string
    ownerScript: string
  }[]
  payments: { outpoint: string; valueSats: number }[]
  paymentScript: string
  changeSats: number
  /** Total cost to the buyer. */
  costSats: number
  marketScript: string
  /** Net gain of the market. */
  marketRevenueSats: number
  /** Royalties and donations. */
  otherOutputs: { script: string; valueSats: number }[]
  settlementFeeSats: number
  transferFeeSats: number
}

const LEAF = { length: 70, sellerAt: 1, marketAt: 35 }
/** Position of the internal key in a control block. */
const INTERNAL_KEY = { start: 1, end: 33 }

/**
 * Parses a settlement. `transfers` has the parents of its escrow inputs by txid, back to the transfers. Throws `transaction-changed` if it
 * is not a settlement of this market.
 */
export function readSettlement(
  settlement: Tx,
  transfers: ReadonlyMap<string, Tx>,
  marketScript: Uint8Array,
  prevoutOf: (outpoint: Outpoint) => TxOutput,
): SettlementFacts {
  const reject = (reason: string): never => {
    throw new BitcoinError('transaction-changed', `not a settlement of this market: ${reason}`)
  }
  const settlementTxid = txidOf(settlement)
  const prevouts = settlement.inputs.map((input) => prevoutOf(input))
  const values = prevouts.map((output) => output.valueSats)
  const leaves = settlement.inputs.map(({ witness }) =>
    witness.length === 4 && witness[2]!.length === LEAF.length ? witness[2]! : null,
  )
  const escrows = leaves.flatMap((leaf, index) => (leaf ? [{ index, leaf }] : []))
  const marketInputs = prevouts.flatMap((output, i) => (equalBytes(output.script, marketScript) ? [i] : []))
  const marketKey = (escrows[0] ?? reject('no input spends an escrow coin')).leaf.slice(
    LEAF.marketAt,
    LEAF.marketAt + 32,
  )
  const settledPositions = new Set<number>()
  const filled = new Set<string>()

  const items = escrows.map(({ index, leaf }) => {
    const input = settlement.inputs[index]!
    const sellerScript = p2trScript(input.witness[3]!.slice(INTERNAL_KEY.start, INTERNAL_KEY.end))
    const escrowForm = formOf(sellerScript, marketKey, leaf, prevouts[index]!.script)
    if (!escrowForm) return reject(`input ${index} is not the escrow of its seller and the market`)
    const coin = fillerOf(input, sellerScript, transfers, prevoutOf, reject)
    filled.add(coin.txid)
    const payout =
      settlement.outputs[index] ?? reject(`escrow input ${index} has no payout at the same index`)
    const landing = wholeLandingOf(settlement.outputs, index, values)
    if (!landing) return reject(`the sats of escrow input ${index} do not go to one output`)
    settledPositions.add(index).add(landing.vout)
    return {
      inscriptionCoin: formatOutpoint(coin.spent),
      sellerScript: bytesToHex(sellerScript),
      escrow: formatOutpoint(input),
      escrowForm,
      generation: generationOf(input.sequence),
      postageSats: values[index]!,
      payoutScript: bytesToHex(payout.script),
      payoutSats: payout.valueSats,
      landing: `${settlementTxid}:${landing.vout}:${landing.offset}`,
      ownerScript: bytesToHex(settlement.outputs[landing.vout]!.script),
    }
  })

  const paying = settlement.inputs.flatMap((_, i) => (leaves[i] || marketInputs.includes(i) ? [] : [i]))
  const paymentScript = prevouts[paying[0] ?? reject('no input is a payment')]!.script
  if (!paying.every((i) => equalBytes(prevouts[i]!.script, paymentScript)))
    reject('the payments have different scripts')
  const rest = settlement.outputs.filter((_, i) => !settledPositions.has(i))
  const to = (script: Uint8Array) =>
    sumSats(rest.filter((output) => equalBytes(output.script, script)).map((output) => output.valueSats))
  const changeSats = to(paymentScript)
  const transferFeeSats = sumSats([...filled].map((txid) => feeOfTx(transfers.get(txid)!, prevoutOf)))
  return {
    settlementTxid,
    marketKey: bytesToHex(marketKey),
    items,
    payments: paying.map((i) => ({
      outpoint: formatOutpoint(settlement.inputs[i]!),
      valueSats: values[i]!,
    })),
    paymentScript: bytesToHex(paymentScript),
    changeSats,
    costSats: sumSats(paying.map((i) => values[i]!)) - changeSats,
    marketScript: bytesToHex(marketScript),
    marketRevenueSats: to(marketScript) - sumSats(marketInputs.map((i) => values[i]!)) - transferFeeSats,
    otherOutputs: rest
      .filter(({ script }) => !equalBytes(script, paymentScript) && !equalBytes(script, marketScript))
      .map(({ script, valueSats }) => ({ script: bytesToHex(script), valueSats })),
    settlementFeeSats: sumSats(values) - sumSats(settlement.outputs.map((output) => output.valueSats)),
    transferFeeSats,
  }
}

/** Returns the output with all sats of an input, or null. */
function wholeLandingOf(
  outputs: readonly TxOutput[],
  index: number,
  values: readonly number[],
): { vout: number; offset: number } | null {
  const start = offsetOfInput(index, values)
  const landing = landingOf(start, outputs)
  const end = landingOf(start + values[index]! - 1, outputs)
  return 'vout' in landing && 'vout' in end && landing.vout === end.vout ? landing : null
}

const feeOfTx = (tx: Tx, prevoutOf: (outpoint: Outpoint) => TxOutput): number =>
  sumSats(tx.inputs.map((input) => prevoutOf(input).valueSats)) -
  sumSats(tx.outputs.map((output) => output.valueSats))

/** Returns the form of an escrow by its spent leaf, or null. */
function formOf(
  sellerScript: Uint8Array,
  marketKey: Uint8Array,
  leaf: Uint8Array,
  script: Uint8Array,
): EscrowForm | null {
  const leafKey = leaf.slice(LEAF.sellerAt, LEAF.sellerAt + 32)
  const form = equalBytes(leafKey, sellerScript.subarray(2)) ? 'published' : 'wallet'
  try {
    const escrow = buildPassthrough(keySpendOf(sellerScript, leafKey), marketKey, form)
    return equalBytes(escrow.leaf, leaf) && equalBytes(escrow.script, script) ? form : null
  } catch (error) {
    if (error instanceof BitcoinError) return null
    throw error
  }
}

/** Returns the input that exactly fills output `vout`. */
export function inputFilling(
  tx: Tx,
  vout: number,
  prevoutOf: (outpoint: Outpoint) => TxOutput,
): Tx['inputs'][number] | undefined {
  const output = tx.outputs[vout]
  let offset = -sumSats(tx.outputs.slice(0, vout).map((earlier) => earlier.valueSats))
  for (const input of tx.inputs) {
    const { valueSats } = prevoutOf(input)
    if (offset === 0 && output?.valueSats === valueSats) return input
    offset += valueSats
  }
  return undefined
}

/** Follows an escrow coin back to its transfer. */
function fillerOf(
  escrow: Outpoint,
  sellerScript: Uint8Array,
  transfers: ReadonlyMap<string, Tx>,
  prevoutOf: (outpoint: Outpoint) => TxOutput,
  reject: (reason: string) => never,
): { txid: string; spent: Outpoint } {
  for (let at = escrow; ; ) {
    const transfer = transfers.get(at.txid) ?? reject(`the transfer ${at.txid} is missing`)
    const spent = inputFilling(transfer, at.vout, prevoutOf)
    if (!spent) return reject(`the transfer ${at.txid} splits its coin`)
    if (equalBytes(prevoutOf(spent).script, sellerScript)) return { txid: at.txid, spent }
    at = spent
  }
}
