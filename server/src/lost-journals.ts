import { moveCollectionOffer, revokeCancelled, revokeFilling } from './collection-offers/lifecycle.ts'
import { forgetRevocations, listUnended } from './collection-offers/queries.ts'
import type { Context } from './context.ts'
import { inTransaction } from './db/connect.ts'
import type { JournalName } from './db/marks.ts'
import { sendFloors } from './escrows/floors.ts'
import { raiseAllFloors } from './escrows/queries.ts'
import { endRevoked } from './listings/recover.ts'
import { endRevokedCounters } from './offers/recover.ts'

const REASON = 'the journal of the keys was lost, which says what was taken back: it has to be made again'

/**
 * Ends the orders that rest on a journal that is lost. It held what wallets took back; another one, or an older copy, would sign that
 * again. All prices that were ever issued are refused from here on, in the new journal too. Safe to repeat: a start that was cut
 * off does it again.
 */
export async function endOrdersOfLost(
  { sql, signer, guardian, log }: Pick<Context, 'sql' | 'signer' | 'guardian' | 'log'>,
  lost: readonly JournalName[],
): Promise<void> {
  const clock = () => new Date()
  if (lost.length > 0)
    log.warn({ lost }, 'another journal is here: every order that rests on the lost one ends')
  if (lost.includes('signer journal')) {
    await raiseAllFloors(sql)
    await sendFloors({ sql, signer })
    await endRevoked({ sql, clock, signer }, REASON)
    await endRevokedCounters({ sql, clock, signer }, REASON)
  }
  if (lost.includes('guardian journal')) {
    await forgetRevocations(sql)
    for (const { offerId } of await listUnended(sql))
      await inTransaction(sql, (tx) =>
        moveCollectionOffer(tx, offerId, 'cancelled', { reason: REASON, now: clock() }),
      )
    await revokeFilling({ sql, clock, guardian })
    await revokeCancelled({ sql, clock, guardian })
  }
}
