import type { BlockConsumer } from '@ordbook/indexer/blocks/follower.ts'
import { handleSent } from './broadcast.ts'
import type { SettlementKinds } from './kinds.ts'
import { confirmSettlements, isAnySettlement, setCoinsLive, unconfirmSettlements } from './queries.ts'

/** Confirms the settlements of a block. */
export function settlementsOnBlock(kinds: SettlementKinds): BlockConsumer {
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
      }
    },
    async undo(tx, height) {
      for (const { settlementId } of await unconfirmSettlements(tx, height))
        await setCoinsLive(tx, settlementId, true)
    },
  }
}
