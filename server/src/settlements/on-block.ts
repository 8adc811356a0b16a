import type { BlockConsumer } from '../chain/follower.ts'
import { type Parties, tellSent } from './broadcast.ts'
import { confirmSettlements, isAnySettlement, setCoinsLive, unconfirmSettlements } from './queries.ts'

/** A settlement in a block has settled, whatever we believed of it before. */
export function settlementsOnBlock(parties: Parties): BlockConsumer {
  return {
    name: 'settlements',
    async apply(tx, block) {
      // Txids are hashes, and most blocks of a catch-up are of before anything was settled here.
      if (!(await isAnySettlement(tx))) return
      const txids = block.transactions.map((each) => each.txid)
      for (const settlement of await confirmSettlements(tx, txids, block.height)) {
        const party = parties.of[settlement.kind]
        await setCoinsLive(tx, settlement.settlementId, false)
        if (settlement.before !== 'broadcast') await tellSent(parties, tx, settlement, block.seenAt)
        await party.confirmed(tx, settlement, block)
      }
    },
    async undo(tx, height) {
      for (const settlement of await unconfirmSettlements(tx, height)) {
        await setCoinsLive(tx, settlement.settlementId, true)
        await parties.of[settlement.kind].undone?.(tx, settlement)
      }
    },
  }
}
