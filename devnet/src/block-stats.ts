import { subsidyAt } from '@ordbook/bitcoin/inscription-flow.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { encodeTransaction, type TxOutput, weightOf } from '@ordbook/bitcoin/transaction.ts'
import type { Block } from './block.ts'

const HALVING = 150

/** Returns part of Core's `getblockstats`: amounts in sats, rates in whole sat/vB. `spent` lists the outputs spent by each transaction. */
export function statsOf(block: Block, spent: readonly (readonly TxOutput[])[]) {
  const rows = block.transactions.slice(1).map((tx, n) => {
    const fee =
      sumSats(spent[n + 1]!.map((each) => each.valueSats)) -
      sumSats(tx.outputs.map((output) => output.valueSats))
    const weight = weightOf(tx)
    return { fee, weight, rate: Math.floor((fee * 4) / weight), size: encodeTransaction(tx).length }
  })
  const fees = rows.map((row) => row.fee).sort((a, b) => a - b)
  const rates = rows.map((row) => row.rate).sort((a, b) => a - b)
  const totalFee = sumSats(fees)
  const totalWeight = rows.reduce((sum, row) => sum + row.weight, 0)
  return {
    blockhash: block.hash,
    height: block.height,
    avgfee: rows.length > 0 ? Math.floor(totalFee / rows.length) : 0,
    avgfeerate: totalWeight > 0 ? Math.floor((totalFee * 4) / totalWeight) : 0,
    feerate_percentiles: percentilesOf(rows, totalWeight),
    maxfee: fees.at(-1) ?? 0,
    maxfeerate: rates.at(-1) ?? 0,
    maxtxsize: Math.max(0, ...rows.map((row) => row.size)),
    medianfee: medianOf(fees),
    minfee: fees[0] ?? 0,
    minfeerate: rates[0] ?? 0,
    subsidy: subsidyAt(block.height, HALVING),
    total_size: rows.reduce((sum, row) => sum + row.size, 0),
    total_weight: totalWeight,
    totalfee: totalFee,
    txs: block.transactions.length,
  }
}

function medianOf(sorted: readonly number[]): number {
  if (sorted.length === 0) return 0
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : Math.floor((sorted[middle - 1]! + sorted[middle]!) / 2)
}

/** Fee rates at the 10th, 25th, 50th, 75th and 90th percentile by weight. */
function percentilesOf(rows: readonly { rate: number; weight: number }[], totalWeight: number): number[] {
  const sorted = rows.toSorted((a, b) => a.rate - b.rate)
  return [0.1, 0.25, 0.5, 0.75, 0.9].map((share) => {
    let weight = 0
    for (const row of sorted) {
      weight += row.weight
      if (weight >= totalWeight * share) return row.rate
    }
    return 0
  })
}
