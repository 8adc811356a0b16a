import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { BatchMoves } from '@ordbook/indexer/blocks/batch-moves.ts'
import type { BlockConsumer } from '@ordbook/indexer/blocks/block-consumer.ts'
import { inParts } from '@ordbook/indexer/inscriptions/coin-queries.ts'
import { deleteTransfersAt, insertTransfers, listTrades, type NewTransfer } from './transfer-queries.ts'

/** Maximum recorded items per coin. Coins can contain any number of items. */
const MAX_OF_A_COIN = 100
const ROWS = 1000

/**
 * Records items that changed their holder without a trade, once per block. Runs after sales: moves up to the last sale belong to that
 * trade.
 */
export const transfersOnBlock: BlockConsumer = {
  name: 'transfers',
  isOptional: true,
  async apply(tx, block) {
    const { txids } = await block.batch.watchedIn(tx, block.height)
    const trades = new Set<string>()
    for (const batch of inParts([...txids], ROWS))
      for (const txid of await listTrades(tx, batch)) trades.add(txid)
    const moved = txids.size > 0 ? await block.batch.watchedAfter(tx, block.height, trades) : []
    const transfers = moved.map(transferOf)
    const byCoin = Map.groupBy(transfers, ({ from }) => formatOutpoint(from))
    const recorded = [...byCoin.values()].flatMap((ofCoin) => ofCoin.slice(0, MAX_OF_A_COIN))
    for (const batch of inParts(recorded, ROWS))
      await insertTransfers(tx, batch, { height: block.height, at: block.minedAt })
  },
  undo: (tx, height) => deleteTransfersAt(tx, height),
}

function transferOf({
  inscriptionId,
  first,
  last,
}: Awaited<ReturnType<BatchMoves['watchedAfter']>>[number]): NewTransfer {
  return {
    inscriptionId,
    from: first.from,
    fromScript: bytesToHex(first.fromOutput.script),
    to: last.to,
    toScript: last.toOutput && bytesToHex(last.toOutput.script),
    txid: last.txid,
  }
}
