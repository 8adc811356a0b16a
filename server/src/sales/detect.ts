import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { type ExternalSale, salesIn, type Transfer } from '@ordbook/bitcoin/external-sale.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type BlockMove, inParts, listFirstOn } from '../chain/coin-queries.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import { insertExternalSales, listKnownScripts, listOwnSettlements, type NewExternalSale } from './queries.ts'

/** Sales that are written at once. */
const ROWS = 1000

/**
 * Writes down the sales of a block that were settled elsewhere: what its transactions say for themselves, where an
 * inscription went from one holder to another and no settlement of ours did it. Runs after settlements. A coin is one
 * sale, however many inscriptions it holds: of the first of them.
 */
export const externalSalesOnBlock: BlockConsumer = {
  name: 'external sales',
  async apply(tx, block) {
    const found: (Omit<NewExternalSale, 'counted' | 'inscriptionId'> & { satId: number })[] = []
    /** Who held what this block has moved without a sale: an escrow that is filled and emptied at once sells for them. */
    const holders = new Map<number, Uint8Array>()
    for (const [index, moved] of Map.groupBy(block.moves, (move) => move.transactionIndex)) {
      // What was spent as fee is in nobody's hands, or a miner's.
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
      // Change alone is also a lender's, or one's own: then the buyer must be a wallet that is known.
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
  // A block that goes takes all sales along (feed.ts).
  async undo() {},
}

/** The coins that go from one output to another; each stands for the sat in it that was inscribed first. */
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
