import type { CounterTerms } from '@ordbook/bitcoin/trade/counter.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import type { Context } from '../context.ts'
import { endedOf } from '../escrows/legs.ts'
import { listTransferCauses } from '../market-coins/ledger-queries.ts'
import { sendWritten, writeTransaction } from '../market-coins/pool.ts'
import { releaseCoins } from '../market-coins/queries.ts'
import type { CounterSignatures } from './counter.ts'
import { moveOffer } from './lifecycle.ts'
import {
  listIdleCounterRecoveries,
  listLiveCounters,
  listStrandedCounters,
  type OfferRow,
} from './queries.ts'

/**
 * Job for counter-offers that ended without a sale. Releases unneeded recovery coins. Broadcasts the recovery of a transfer that confirmed
 * alone. Their anchors are spent in listings/recover.ts.
 */
export async function finishCounters(context: Context): Promise<void> {
  const { sql } = context
  await releaseCoins(sql, await listIdleCounterRecoveries(sql))
  for (const counter of await listStrandedCounters(sql)) await sendCounterRecovery(context, counter)
}

/** Cancels counter-offers that the signer has revoked. Returns their number. */
export async function endRevokedCounters(
  { sql, clock, signer }: Pick<Context, 'sql' | 'clock' | 'signer'>,
  reason: string,
): Promise<number> {
  const ended = await endedOf(signer, await listLiveCounters(sql))
  for (const { offerId } of ended)
    await inTransaction(sql, (tx) => moveOffer(tx, offerId, 'cancelled', { reason, now: clock() }))
  return ended.length
}

async function sendCounterRecovery(context: Context, counter: OfferRow): Promise<void> {
  const { sql, signer, log } = context
  const terms = unpack<CounterTerms>(counter.terms)
  const { recovery: signature } = unpack<CounterSignatures>(counter.signatures)
  const handle = counter.offerId
  const signed = await signer.signReclaim({
    escrows: [terms],
    feeCoins: [terms.recoveryCoin],
    signatures: [signature],
  })
  await inTransaction(sql, async (tx) => {
    const causes = await listTransferCauses(tx, [counter.transferTxid!], 'recovery')
    const holders = [counter.recoveryHandle!]
    await writeTransaction(tx, signed, { purpose: 'recovery', handle, holders, causes }, [terms.recoveryCoin])
  })
  log.info(
    { offerId: handle, txid: signed.txid },
    'returning an inscription from the escrow of a counter-offer',
  )
  await sendWritten(context, { ...signed, handle })
}
