import { bytesToHex, equalBytes } from './bytes.ts'
import { groupBy } from './group-by.ts'
import { SIGHASH } from './sighash.ts'
import type { TxInput, TxOutput } from './transaction.ts'
import { validSighashesOf } from './valid-sighashes.ts'

/** A transfer of an inscription, possibly a sale on another marketplace (docs/explanation/external-sales.md). */
export interface Transfer {
  inscriptionId: string
  sequence: number
  /** Index of the input with the inscription. */
  inputIndex: number
  toScript: Uint8Array
}

export interface ExternalSale {
  inscriptionId: string
  sellerScript: Uint8Array
  buyerScript: Uint8Array
  /** Sats paid to the seller above the value of the coin, after the seller's fee. */
  priceSats: number
  /** `signature`: the seller signed only the payout. `gain`: the seller's balance increased. */
  rule: 'signature' | 'gain'
  confidence: 'high' | 'medium' | 'low'
  /** `buyer`: the script that received the inscription paid. `change`: another script paid and got change. */
  funding: 'buyer' | 'change' | 'unknown'
}

export interface Settling {
  tx: { inputs: readonly TxInput[]; outputs: readonly TxOutput[] }
  prevouts: readonly TxOutput[]
}

/** Minimum price. Nodes do not relay smaller outputs. */
const MIN_PRICE_SATS = 330

/** Returns the sales of a transaction, at most one per coin. */
export function salesIn({ tx, prevouts }: Settling, transfers: readonly Transfer[]): ExternalSale[] {
  const sales: ExternalSale[] = []
  const rest: Transfer[] = []
  const seen = new Set<number>()
  for (const transfer of transfers.toSorted((a, b) => a.sequence - b.sequence)) {
    const { inscriptionId, inputIndex, toScript } = transfer
    const coin = prevouts[inputIndex]!
    // Skip transfers to the same script.
    if (seen.has(inputIndex) || equalBytes(coin.script, toScript)) continue
    seen.add(inputIndex)
    const payout = tx.outputs[inputIndex]
    const signsPayout = validSighashesOf(tx.inputs[inputIndex]!, coin.script).includes(
      SIGHASH.SINGLE_ANYONECANPAY,
    )
    if (!signsPayout || !payout) {
      rest.push(transfer)
      continue
    }
    const priceSats = payout.valueSats - coin.valueSats
    if (priceSats < MIN_PRICE_SATS || equalBytes(payout.script, toScript)) continue
    sales.push({
      inscriptionId,
      sellerScript: coin.script,
      buyerScript: toScript,
      priceSats,
      rule: 'signature',
      confidence: 'high',
      funding: 'buyer',
    })
  }
  if (rest.length === 0) return sales
  const put = balancesOf(prevouts)
  const got = balancesOf(tx.outputs)
  const paid = (script: string) => (put.get(script) ?? 0) > (got.get(script) ?? 0)
  const keepsChange = [...put.keys()].some((script) => paid(script) && got.has(script))
  const fundingOf = (buyer: string): ExternalSale['funding'] =>
    paid(buyer) ? 'buyer' : keepsChange ? 'change' : 'unknown'
  const bySeller = groupBy(rest, ({ inputIndex }) => bytesToHex(prevouts[inputIndex]!.script))
  for (const [seller, sold] of bySeller) {
    const gainSats = (got.get(seller) ?? 0) - put.get(seller)!
    if (gainSats < MIN_PRICE_SATS * sold.length) continue
    const share = Math.floor(gainSats / sold.length)
    for (const [i, { inscriptionId, inputIndex, toScript }] of sold.entries())
      sales.push({
        inscriptionId,
        sellerScript: prevouts[inputIndex]!.script,
        buyerScript: toScript,
        // The first price includes the remainder of the division.
        priceSats: i === 0 ? gainSats - share * (sold.length - 1) : share,
        rule: 'gain',
        confidence: sold.length === 1 ? 'medium' : 'low',
        funding: fundingOf(bytesToHex(toScript)),
      })
  }
  return sales
}

function balancesOf(outputs: readonly TxOutput[]): Map<string, number> {
  const balances = new Map<string, number>()
  for (const { script, valueSats } of outputs) {
    const key = bytesToHex(script)
    balances.set(key, (balances.get(key) ?? 0) + valueSats)
  }
  return balances
}
