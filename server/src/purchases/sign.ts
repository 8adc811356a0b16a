import { keyWitness } from '@ordbook/bitcoin/psbt.ts'
import { type Layout, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildTransfer, type ListingTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type { Purchase } from '@ordbook/bitcoin/trade/purchase.ts'
import { hexOfTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { unpack } from '../db/pack.ts'
import type { MarketKey } from '../engine/market-key.ts'
import type { ListingRow } from '../listings/queries.ts'

/**
 * Puts the package together: the buyer's and sellers' verified signatures, then the market's. Only layouts built here
 * are signed, never anything parsed from a client. Gives raw transactions, transfers first.
 */
export function signPurchase(
  market: MarketKey,
  built: Purchase,
  listings: readonly ListingRow[],
  buyerSignatures: ReadonlyMap<number, Uint8Array>,
): { txid: string; hex: string }[] {
  const transfers = listings
    .filter((listing) => listing.transferHeight === null)
    .map((listing) => signTransfer(market, listing))
  const { settlement } = built
  const signed = transactionOf(settlement)
  let leg = 0
  for (const [i, { spend, role }] of settlement.inputs.entries()) {
    const input = signed.inputs[i]!
    if (spend.by === 'escrow') {
      const listing = listings[leg++]!
      input.witness = [market.cosign(settlement, i), listing.legSignature, spend.leaf, spend.controlBlock]
    } else if (role === 'payment') input.witness = keyWitness(spend, buyerSignatures.get(i)!)
    else input.witness = keyWitness(spend, market.signCoin(settlement, i))
  }
  return [...transfers, signed].map((tx) => ({ txid: txidOf(tx), hex: hexOfTransaction(tx) }))
}

function signTransfer(market: MarketKey, listing: ListingRow): Tx {
  const layout: Layout = buildTransfer(unpack<ListingTerms>(listing.terms))
  const signed = transactionOf(layout)
  for (const [i, { spend, role }] of layout.inputs.entries()) {
    if (spend.by !== 'key') throw new TypeError('a transfer spends no escrow')
    const signature = role === 'anchor' ? market.signCoin(layout, i) : listing.transferSignature
    signed.inputs[i]!.witness = keyWitness(spend, signature)
  }
  return signed
}
