import { bytesToHex, equalBytes } from './bytes.ts'
import { SIGHASH } from './sighash.ts'
import type { TxInput, TxOutput } from './transaction.ts'

/**
 * Sales that were settled elsewhere, told from the chain alone (docs/external-sales.md states the rules and where they
 * fail). What a seller signs is the evidence, never who published it.
 */
export interface Transfer {
  inscriptionId: string
  sequence: number
  /** The input that held it. */
  inputIndex: number
  /** Who holds it after the transaction. */
  toScript: Uint8Array
}

export interface ExternalSale {
  inscriptionId: string
  sellerScript: Uint8Array
  buyerScript: Uint8Array
  /** What the seller was paid above the coin that was sold, in sats: net of what a marketplace took of the seller. */
  priceSats: number
  /** `signature`: the seller signed the payout alone. `gain`: the seller's address gained what others paid. */
  rule: 'signature' | 'gain'
  confidence: 'high' | 'medium' | 'low'
}

/** A transaction in which inscriptions change hands. */
export interface Settling {
  tx: { inputs: readonly TxInput[]; outputs: readonly TxOutput[] }
  prevouts: readonly TxOutput[]
}

/** A payment below this is none: no node relays an output that small. */
const LEAST_PRICE_SATS = 330

/** The sales among the transfers of a transaction, in their order. A coin is one sale, by the first inscription in it. */
export function salesIn({ tx, prevouts }: Settling, transfers: readonly Transfer[]): ExternalSale[] {
  const sales: ExternalSale[] = []
  const rest: Transfer[] = []
  const seen = new Set<number>()
  for (const transfer of transfers.toSorted((a, b) => a.sequence - b.sequence)) {
    const { inscriptionId, inputIndex, toScript } = transfer
    const coin = prevouts[inputIndex]!
    // Whoever sends something to themselves has sold nothing.
    if (seen.has(inputIndex) || equalBytes(coin.script, toScript)) continue
    seen.add(inputIndex)
    const payout = tx.outputs[inputIndex]
    const signsPayout = sighashesOf(tx.inputs[inputIndex]!).includes(SIGHASH.SINGLE_ANYONECANPAY)
    if (!signsPayout || !payout) {
      rest.push(transfer)
      continue
    }
    const priceSats = payout.valueSats - coin.valueSats
    if (priceSats < LEAST_PRICE_SATS || equalBytes(payout.script, toScript)) continue
    sales.push({
      inscriptionId,
      sellerScript: coin.script,
      buyerScript: toScript,
      priceSats,
      rule: 'signature',
      confidence: 'high',
    })
  }
  const bySeller = Map.groupBy(rest, ({ inputIndex }) => bytesToHex(prevouts[inputIndex]!.script))
  for (const [seller, sold] of bySeller) {
    const gainSats = balanceOf(seller, tx.outputs) - balanceOf(seller, prevouts)
    if (gainSats < LEAST_PRICE_SATS * sold.length) continue
    const share = Math.floor(gainSats / sold.length)
    for (const [i, { inscriptionId, inputIndex, toScript }] of sold.entries())
      sales.push({
        inscriptionId,
        sellerScript: prevouts[inputIndex]!.script,
        buyerScript: toScript,
        // What does not divide goes to the first: together they are what was paid.
        priceSats: i === 0 ? gainSats - share * (sold.length - 1) : share,
        rule: 'gain',
        confidence: sold.length === 1 ? 'medium' : 'low',
      })
  }
  return sales
}

function balanceOf(script: string, outputs: readonly TxOutput[]): number {
  let sats = 0
  for (const output of outputs) if (bytesToHex(output.script) === script) sats += output.valueSats
  return sats
}

/**
 * The sighash types of what looks like a signature in an input: 64 bytes (BIP-341, the default) or 65, or strict DER
 * with a byte behind it (BIP-66).
 */
export function sighashesOf({ witness, scriptSig }: Pick<TxInput, 'witness' | 'scriptSig'>): number[] {
  const pushes = witness.length > 0 ? witness : pushesOf(scriptSig)
  return pushes.flatMap((push) => {
    if (push.length === 64) return [SIGHASH.DEFAULT]
    const isDer = push.length >= 9 && push.length <= 73 && push[0] === 0x30 && push[1] === push.length - 3
    return push.length === 65 || isDer ? [push.at(-1)!] : []
  })
}

/** The pushes of a script of pushes alone, as far as they go. */
function pushesOf(script: Uint8Array): Uint8Array[] {
  const pushes: Uint8Array[] = []
  for (let at = 0; at < script.length; ) {
    const length = script[at]!
    if (length === 0 || length > 0x4b) return pushes
    pushes.push(script.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  return pushes
}
