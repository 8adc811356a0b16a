import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { type ExternalSale, salesIn } from '@ordbook/bitcoin/external-sale.ts'
import type { Moved } from '@ordbook/bitcoin/inscription-flow.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import { insertExternalSales, listKnownScripts, listOwnSettlements, type NewExternalSale } from './queries.ts'

/**
 * Writes down the sales of a block that were settled elsewhere: what its transactions say for themselves, where an
 * inscription went from one holder to another and no settlement of ours did it. Runs after settlements.
 */
export const externalSalesOnBlock: BlockConsumer = {
  name: 'external sales',
  async apply(tx, block) {
    const moves = block.events.filter((event) => event.kind === 'moved')
    if (moves.length === 0) return
    const byTransaction = Map.groupBy(moves, (move) => move.transactionIndex)
    const found: Omit<NewExternalSale, 'counted'>[] = []
    /** Who held what this block has moved without a sale: an escrow that is filled and emptied at once sells for them. */
    const holders = new Map<string, Uint8Array>()
    for (const [index, moved] of byTransaction) {
      // What was spent as fee is in nobody's hands, or a miner's.
      if (index === 0) continue
      const settling = block.transactions[index]!
      const { txid } = settling
      const sales = salesIn(settling, transfersOf(settling.tx.inputs, moved))
      for (const { sellerScript, ...sale } of sales)
        found.push({
          ...sale,
          sellerScript: holders.get(sale.inscriptionId) ?? sellerScript,
          txid,
          soldAt: block.minedAt,
          height: block.height,
        })
      const soldIds = new Set(sales.map((sale) => sale.inscriptionId))
      for (const { inscriptionId, from } of moved)
        if (soldIds.has(inscriptionId)) holders.delete(inscriptionId)
        else if (from.output && !holders.has(inscriptionId)) holders.set(inscriptionId, from.output.script)
    }
    if (found.length === 0) return
    const own = await listOwnSettlements(tx, [...new Set(found.map((sale) => sale.txid))])
    const others = found.filter((sale) => !own.has(sale.txid))
    // Change alone is also a lender's, or one's own: then the buyer must be a wallet that is known.
    const buyerOf = (sale: ExternalSale) => bytesToHex(sale.buyerScript)
    const known = await listKnownScripts(tx, [
      ...new Set(others.filter((sale) => sale.funding === 'change').map(buyerOf)),
    ])
    await insertExternalSales(
      tx,
      others.map((sale) => ({
        ...sale,
        counted: sale.funding === 'buyer' || (sale.funding === 'change' && known.has(buyerOf(sale))),
      })),
    )
  },
  // A block that goes takes all sales along (feed.ts).
  async undo() {},
}

function transfersOf(inputs: readonly { txid: string; vout: number }[], moves: readonly Moved[]) {
  const indexOf = new Map(inputs.map((input, index) => [formatOutpoint(input), index]))
  return moves.flatMap(({ inscriptionId, sequence, from, to }) => {
    const inputIndex = indexOf.get(formatOutpoint(from.outpoint))
    return to.output && inputIndex !== undefined
      ? [{ inscriptionId, sequence, inputIndex, toScript: to.output.script }]
      : []
  })
}
