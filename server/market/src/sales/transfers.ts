import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { WatchedMove } from '@ordbook/indexer/blocks/batch-moves.ts'
import type { BlockConsumer } from '@ordbook/indexer/blocks/follower.ts'
import { inParts } from '@ordbook/indexer/inscriptions/coin-queries.ts'
import { deleteTransfersAt, insertTransfers, listTrades, type NewTransfer } from './transfer-queries.ts'

/** Most items of one coin whose transfer is recorded: a coin may hold any number, and move in each block. */
const MAX_OF_A_COIN = 100
/** Rows of one statement. */
const ROWS = 1000

/**
 * Records items that a block moved from one holder to another without a trade, each at most once. Runs after the sales of the block: a move
 * in a settlement or sale belongs to that trade, and so do the moves before it.
 */
export const transfersOnBlock: BlockConsumer = {
  name: 'transfers',
  async apply(tx, block) {
    const moved = await block.batch.watchedIn(tx, block.moves)
    const txids = [...new Set(moved.flatMap(({ path }) => path.map((move) => move.txid)))]
    const trades = new Set<string>()
    for (const part of inParts(txids, ROWS)) for (const txid of await listTrades(tx, part)) trades.add(txid)
    const rest = moved.flatMap((each) => afterTrades(each, trades))
    const byCoin = Map.groupBy(rest, ({ from }) => formatOutpoint(from))
    const found = [...byCoin.values()].flatMap((each) => each.slice(0, MAX_OF_A_COIN))
    for (const part of inParts(found, ROWS))
      await insertTransfers(tx, part, { height: block.height, at: block.minedAt })
  },
  undo: (tx, height) => deleteTransfersAt(tx, height),
}

/** The path of an item after its last trade in the block to its location after the block; empty if it did not move. */
function afterTrades({ inscriptionId, path }: WatchedMove, trades: ReadonlySet<string>): NewTransfer[] {
  const later = path.slice(path.findLastIndex((move) => trades.has(move.txid)) + 1)
  const [first, last] = [later[0], later.at(-1)]
  if (!first || !last) return []
  return [
    {
      inscriptionId,
      from: first.from,
      fromScript: bytesToHex(first.fromOutput.script),
      to: last.to,
      toScript: last.toOutput && bytesToHex(last.toOutput.script),
      txid: last.txid,
    },
  ]
}
