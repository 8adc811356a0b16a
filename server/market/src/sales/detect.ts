import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { type ExternalSale, salesIn, type Transfer } from '@ordbook/bitcoin/external-sale.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { BlockConsumer } from '@ordbook/indexer/blocks/block-consumer.ts'
import { type BlockMove, inParts, listFirstOn } from '@ordbook/indexer/inscriptions/coin-queries.ts'
import { insertExternalSales, listKnownScripts, listOwnSettlements, type NewExternalSale } from './queries.ts'

const ROWS = 1000
/** Scripts of addresses are shorter. Longer ones can exceed an index entry of PostgreSQL, which would stop the index. */
const MAX_SCRIPT_BYTES = 520

/**
 * Records sales that other markets settled, from moves between holders. Runs after settlements. Each coin counts as one sale of its first
 * inscription.
 */
export const externalSalesOnBlock: BlockConsumer = {
  name: 'external sales',
  isOptional: true,
  async apply(tx, block) {
    const found: (Omit<NewExternalSale, 'counted' | 'inscriptionId'> & { satId: number })[] = []
    /**
     * Holders of inscriptions that moved earlier in this block without a sale. After an escrow within one block, the seller counts as the
     * holder.
     */
    const holders = new Map<number, Uint8Array>()
    for (const [index, moved] of Map.groupBy(block.moves, (move) => move.transactionIndex)) {
      // Inscriptions spent as fees have no buyer.
      if (index === 0) continue
      const settling = block.transactions[index]!
      const { txid } = settling
      const sold = new Set<number>()
      const sales = salesIn(settling, transfersOf(settling.outpoints, moved))
      for (const { inscriptionId, ...sale } of sales) {
        const satId = Number(inscriptionId)
        sold.add(satId)
        const sellerScript = holders.get(satId) ?? sale.sellerScript
        if (Math.max(sellerScript.length, sale.buyerScript.length) > MAX_SCRIPT_BYTES) continue
        found.push({
          ...sale,
          satId,
          sellerScript,
          txid,
          soldAt: block.minedAt,
          height: block.height,
        })
      }
      for (const { first, fromOutput } of moved)
        if (sold.has(first)) holders.delete(first)
        else if (!holders.has(first)) holders.set(first, fromOutput.script)
    }
    for (const batch of inParts(found, ROWS)) {
      const own = await listOwnSettlements(tx, [...new Set(batch.map((sale) => sale.txid))])
      const others = batch.filter((sale) => !own.has(sale.txid))
      // If only the change identifies the payer, it may be a lender or the seller. Count the sale only for a known wallet.
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
  // salesOnBlock in feed.ts deletes undone sales.
  async undo() {},
}

/** Returns a transaction's moves, identified by the first inscribed sat. */
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
