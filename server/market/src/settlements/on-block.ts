import type { BlockConsumer } from '@ordbook/indexer/blocks/block-consumer.ts'
import type { Logger } from 'pino'
import { handleSent } from './broadcast.ts'
import type { SettlementKinds } from './kinds.ts'
import {
  confirmSettlements,
  isAnySettlement,
  listPricesIn,
  setCoinsLive,
  unconfirmSettlements,
} from './queries.ts'

/** Confirms the settlements of a block, and logs what their sellers were paid. */
export function settlementsOnBlock(kinds: SettlementKinds, log: Logger): BlockConsumer {
  return {
    name: 'settlements',
    async apply(tx, block) {
      // Avoid hashing all transactions during the initial sync.
      if (!(await isAnySettlement(tx))) return
      const txids = block.transactions.map(({ txid }) => txid)
      for (const settlement of await confirmSettlements(tx, txids, block.height)) {
        await setCoinsLive(tx, settlement.settlementId, false)
        if (settlement.before !== 'broadcast') await handleSent(kinds, tx, settlement, block.seenAt)
        await kinds.of(settlement).confirmed(tx, settlement, block)
        const { settlementId, kind, settlementTxid: txid } = settlement
        const sales = await listPricesIn(tx, txid)
        log.info({ settlementId, kind, txid, height: block.height, sales }, 'sale paid out')
      }
    },
    async undo(tx, height) {
      for (const { settlementId } of await unconfirmSettlements(tx, height))
        await setCoinsLive(tx, settlementId, true)
    },
  }
}
