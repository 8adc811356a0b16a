import { bytesToHex, equalBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { formatOutpoint, type Outpoint } from '../outpoint.ts'
import { landingOf, offsetOfInput } from '../sat-flow.ts'
import { sumSats } from '../sats.ts'
import { type Tx, type TxOutput, txidOf } from '../transaction.ts'
import { buildPassthrough } from './passthrough.ts'

/** What a settlement did, read from transactions alone; scripts as hex, sats as integers. */
export interface SettlementFacts {
  settlementTxid: string
  /** M, by which the escrow coins were co-signed. */
  marketKey: string
  items: {
    /** Where the inscription was before: the coin that its transfer spent. */
    inscriptionCoin: string
    sellerScript: string
    escrow: string
    postageSats: number
    payoutScript: string
    /** To the seller, with the postage. */
    payoutSats: number
    /** Where the coin's first sat is after: the rest follows it. */
    landing: string
    ownerScript: string
  }[]
  payments: { outpoint: string; valueSats: number }[]
  paymentScript: string
  changeSats: number
  /** Everything that left the buyer's coins. */
  costSats: number
  marketScript: string
  /** What the market has more than before. */
  marketRevenueSats: number
  /** Royalties and donations: whatever else was paid. */
  otherOutputs: { script: string; valueSats: number }[]
  /** What the miners got of the settlement, and of its transfers together. */
  settlementFeeSats: number
  transferFeeSats: number
}

const LEAF = { length: 70, sellerAt: 1, marketAt: 35 }

/**
 * Reads a settlement. `transfers` are the parents of its escrow inputs, by txid; `marketScript` is whose coins carry it;
 * `prevoutOf` gives the output that an input spends. Throws `transaction-changed` when it is no such settlement.
 */
export function readSettlement(
  settlement: Tx,
  transfers: ReadonlyMap<string, Tx>,
  marketScript: Uint8Array,
  prevoutOf: (outpoint: Outpoint) => TxOutput,
): SettlementFacts {
  const no = (reason: string): never => {
    throw new BitcoinError('transaction-changed', `not a settlement of this market: ${reason}`)
  }
  const settlementTxid = txidOf(settlement)
  const prevouts = settlement.inputs.map((input) => prevoutOf(input))
  const values = prevouts.map((output) => output.valueSats)
  const leaves = settlement.inputs.map(({ witness }) =>
    witness.length === 4 && witness[2]!.length === LEAF.length ? witness[2]! : null,
  )
  const escrows = leaves.flatMap((leaf, index) => (leaf ? [{ index, leaf }] : []))
  const carriers = prevouts.flatMap((output, i) => (equalBytes(output.script, marketScript) ? [i] : []))
  const marketKey = (escrows[0] ?? no('it spends no escrow coin')).leaf.slice(
    LEAF.marketAt,
    LEAF.marketAt + 32,
  )
  const taken = new Set<number>()

  const items = escrows.map(({ index, leaf }) => {
    const input = settlement.inputs[index]!
    const transfer = transfers.get(input.txid) ?? no(`the transfer ${input.txid} is missing`)
    const coin = transfer.inputs[0]!
    const seller = prevoutOf(coin)
    const escrow = buildPassthrough(seller.script, marketKey)
    if (!equalBytes(escrow.leaf, leaf) || !equalBytes(escrow.script, prevouts[index]!.script))
      no(`input ${index} is not the escrow of its seller and the market`)
    if (transfer.outputs.length !== 1 || transfer.outputs[0]!.valueSats !== seller.valueSats)
      no(`the transfer ${input.txid} does not move its coin whole`)
    const payout = settlement.outputs[index] ?? no(`escrow input ${index} has no payout beside it`)
    const start = offsetOfInput(index, values)
    const landing = landingOf(start, settlement.outputs)
    const end = landingOf(start + values[index]! - 1, settlement.outputs)
    if (!('vout' in landing) || !('vout' in end) || landing.vout !== end.vout)
      return no(`the sats of escrow input ${index} do not stay together`)
    taken.add(index).add(landing.vout)
    return {
      inscriptionCoin: formatOutpoint(coin),
      sellerScript: bytesToHex(seller.script),
      escrow: formatOutpoint(input),
      postageSats: values[index]!,
      payoutScript: bytesToHex(payout.script),
      payoutSats: payout.valueSats,
      landing: `${settlementTxid}:${landing.vout}:${landing.offset}`,
      ownerScript: bytesToHex(settlement.outputs[landing.vout]!.script),
    }
  })

  const paying = settlement.inputs.flatMap((_, i) => (leaves[i] || carriers.includes(i) ? [] : [i]))
  const paymentScript = prevouts[paying[0] ?? no('nobody pays')]!.script
  if (!paying.every((i) => equalBytes(prevouts[i]!.script, paymentScript))) no('several pay')
  const rest = settlement.outputs.filter((_, i) => !taken.has(i))
  const to = (script: Uint8Array) =>
    sumSats(rest.filter((output) => equalBytes(output.script, script)).map((output) => output.valueSats))
  const changeSats = to(paymentScript)
  const transferFeeSats = sumSats(
    [...transfers.values()].map(
      (transfer) =>
        sumSats(transfer.inputs.map((input) => prevoutOf(input).valueSats)) -
        sumSats(transfer.outputs.map((output) => output.valueSats)),
    ),
  )
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
    // The anchors that the transfers burnt were the market's.
    marketRevenueSats: to(marketScript) - sumSats(carriers.map((i) => values[i]!)) - transferFeeSats,
    otherOutputs: rest
      .filter((each) => !equalBytes(each.script, paymentScript) && !equalBytes(each.script, marketScript))
      .map(({ script, valueSats }) => ({ script: bytesToHex(script), valueSats })),
    settlementFeeSats: sumSats(values) - sumSats(settlement.outputs.map((output) => output.valueSats)),
    transferFeeSats,
  }
}
