import { salesIn } from '@ordbook/bitcoin/external-sale.ts'
import type { Moved } from '@ordbook/bitcoin/inscription-flow.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import { insertExternalSales, listOwnSettlements, type NewExternalSale } from './queries.ts'

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
    const found: NewExternalSale[] = []
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
      for (const { inscriptionId, from } of moved)
        if (sales.some((sale) => sale.inscriptionId === inscriptionId)) holders.delete(inscriptionId)
        else if (from.output && !holders.has(inscriptionId)) holders.set(inscriptionId, from.output.script)
    }
    if (found.length === 0) return
    const own = await listOwnSettlements(tx, [...new Set(found.map((sale) => sale.txid))])
    await insertExternalSales(
      tx,
      found.filter((sale) => !own.has(sale.txid)),
    )
  },
  // A block that goes takes all sales along (feed.ts).
  async undo() {},
}

function transfersOf(inputs: readonly { txid: string; vout: number }[], moves: readonly Moved[]) {
  return moves.flatMap(({ inscriptionId, sequence, from, to }) => {
    const inputIndex = inputs.findIndex(
      ({ txid, vout }) => txid === from.outpoint.txid && vout === from.outpoint.vout,
    )
    return to.output && inputIndex !== -1
      ? [{ inscriptionId, sequence, inputIndex, toScript: to.output.script }]
      : []
  })
}
