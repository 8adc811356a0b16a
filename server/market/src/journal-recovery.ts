import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { moveCollectionOffer, revokeCancelled, revokeFilling } from './collection-offers/lifecycle.ts'
import { forgetRevocations, listUnended } from './collection-offers/queries.ts'
import type { Context } from './context.ts'
import { sendFloors } from './escrows/floors.ts'
import { raiseAllFloors } from './escrows/queries.ts'
import { findRestore, forgetRestore, type JournalName } from './keys/checkpoint-queries.ts'
import { endRevoked } from './listings/recover.ts'
import { moveOffer } from './offers/lifecycle.ts'
import { listMadeUntil } from './offers/queries.ts'
import { endRevokedCounters } from './offers/recover.ts'
import { listAcceptancesUntil } from './proposals/acceptance-queries.ts'
import { moveAcceptance } from './proposals/lifecycle.ts'

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

/**
 * Ends the offers and acceptances of a database that was restored from a backup. Their makers' signatures alone make them
 * tradable, so no journal holds those that were taken back since. Safe to repeat, and orders made after the restore stand.
 */
export async function endOrdersOfRestored({ sql, log }: Pick<Context, 'sql' | 'log'>): Promise<void> {
  const until = await findRestore(sql)
  if (!until) return
  const why = {
    reason:
      'the market was restored from a backup, and it may have been taken back meanwhile: it has to be made again',
    now: new Date(),
  }
  const offers = await listMadeUntil(sql, until)
  for (const { offerId } of offers) await inTransaction(sql, (tx) => moveOffer(tx, offerId, 'cancelled', why))
  const acceptances = await listAcceptancesUntil(sql, until)
  for (const { acceptanceId } of acceptances)
    await inTransaction(sql, (tx) => moveAcceptance(tx, acceptanceId, 'cancelled', why))
  await forgetRestore(sql)
  log.warn(
    { offers: offers.length, acceptances: acceptances.length },
    'this database was restored from a backup: offers and acceptances ended, which no journal holds',
  )
}
