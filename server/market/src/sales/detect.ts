import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { type ExternalSale, salesIn, type Transfer } from '@ordbook/bitcoin/external-sale.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { BlockConsumer } from '@ordbook/indexer/blocks/follower.ts'
import { type BlockMove, inParts, listFirstOn } from '@ordbook/indexer/inscriptions/coin-queries.ts'
import { insertExternalSales, listKnownScripts, listOwnSettlements, type NewExternalSale } from './queries.ts'

/** Sales written per statement. */
const ROWS = 1000

/**
 * Records sales of a block that were settled elsewhere: an inscription moved from one holder to another, and not in a settlement of this
 * market. Runs after settlements. A coin is one sale, of its first inscription.
 */
export const externalSalesOnBlock: BlockConsumer = {
  name: 'external sales',
  async apply(tx, block) {
    const found: (Omit<NewExternalSale, 'counted' | 'inscriptionId'> & { satId: number })[] = []
    /**
     * The holders of coins that this block moved without a sale: an escrow that is filled and emptied in one block sells for
     * them.
     */
    const holders = new Map<number, Uint8Array>()
    for (const [index, moved] of Map.groupBy(block.moves, (move) => move.transactionIndex)) {
      // An inscription that was spent as fee belongs to no buyer.
      if (index === 0) continue
      const settling = block.transactions[index]!
      const { txid } = settling
      const sold = new Set<number>()
      const sales = salesIn(settling, transfersOf(settling.outpoints, moved))
      for (const { inscriptionId, sellerScript, ...sale } of sales) {
        const satId = Number(inscriptionId)
        sold.add(satId)
        found.push({
          ...sale,
          satId,
          sellerScript: holders.get(satId) ?? sellerScript,
          txid,
          soldAt: block.minedAt,
          height: block.height,
        })
      }
      for (const { first, fromOutput } of moved)
        if (sold.has(first)) holders.delete(first)
        else if (!holders.has(first)) holders.set(first, fromOutput.script)
    }
    for (const part of inParts(found, ROWS)) {
      const own = await listOwnSettlements(tx, [...new Set(part.map((sale) => sale.txid))])
      const others = part.filter((sale) => !own.has(sale.txid))
      // Change alone could also be a lender's or the seller's, so the buyer must be a known wallet.
      const buyerOf = (sale: Pick<ExternalSale, 'buyerScript'>) => bytesToHex(sale.buyerScript)
      const known = await listKnownScripts(tx, [
        ...new Set(others.filter((sale) => sale.funding === 'change').map(buyerOf)),
      ])
      const satIds = others.map((sale) => sale.satId)
      const first = await listFirstOn(tx, satIds)
      await insertExternalSales(
        tx,
        others.map(({ satId, ...sale }) => ({
          ...sale,
          inscriptionId: first.get(satId)!,
          counted: sale.funding === 'buyer' || (sale.funding === 'change' && known.has(buyerOf(sale))),
        })),
      )
    }
  },
  // An undone block removes all its sales (feed.ts).
  async undo() {},
}

/** Coins that move whole from one output to another, each represented by its first inscribed sat. */
function transfersOf(
  inputs: readonly { txid: string; vout: number }[],
  moves: readonly BlockMove[],
): Transfer[] {
  const indexOf = new Map(inputs.map((input, index) => [formatOutpoint(input), index]))
  return moves.flatMap(({ first, from, toOutput }) => {
    const inputIndex = indexOf.get(formatOutpoint(from))
    return toOutput && inputIndex !== undefined
      ? [{ inscriptionId: String(first), sequence: first, inputIndex, toScript: toOutput.script }]
      : []
  })
}
