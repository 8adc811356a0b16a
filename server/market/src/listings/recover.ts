import type { ListingTerms } from '@ordbook/bitcoin/trade/listing.ts'
import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import type { Context } from '../context.ts'
import { endedOf } from '../escrows/legs.ts'
import { listTransferCauses } from '../market-coins/ledger-queries.ts'
import { sendWritten, voidRetired, writeTransaction } from '../market-coins/pool.ts'
import { countHeld, releaseCoins } from '../market-coins/queries.ts'
import { isHandleWritten } from '../market-coins/transaction-queries.ts'
import { moveListing, noteListings } from './lifecycle.ts'
import { listOrderEvents, listUnnotedVoids } from './log-queries.ts'
import {
  type ListingRow,
  listBatch,
  listIdleRecoveries,
  listNeededForRecovery,
  listSignable,
  listStranded,
} from './queries.ts'
import { LIVE } from './states.ts'

/**
 * Job for listings that ended without a sale. Spends the anchor, so that the transfer can never confirm. If it has already confirmed,
 * broadcasts the recovery to the seller.
 */
export async function finishEnded(context: Context): Promise<void> {
  const { sql } = context
  await releaseCoins(sql, await listIdleRecoveries(sql))
  for (const recoveryBatch of await listStranded(sql)) await sendRecovery(context, recoveryBatch)
  await voidRetired(context, listNeededForRecovery)
  await noteVoids(context)
}

/** Logs that the mempool spends the anchor of an ended listing. */
async function noteVoids({ sql, node, clock }: Context): Promise<void> {
  for (const { voidTxid, ...listing } of await listUnnotedVoids(sql))
    if (await node.isInMempool(voidTxid))
      await inTransaction(sql, (tx) =>
        noteListings(tx, [listing], {
          reason: `the anchor is being spent in ${voidTxid}`,
          guarantee: 'anchor-spent',
          now: clock(),
        }),
      )
}

const BATCH_SIZE = 5000
const NO_ID = '00000000-0000-0000-0000-000000000000'

/** Cancels active listings that the signer has revoked. Returns their number. */
export async function endRevoked(
  { sql, clock, signer }: Pick<Context, 'sql' | 'clock' | 'signer'>,
  reason: string,
): Promise<number> {
  let count = 0
  for (let after = NO_ID; ; ) {
    const rows = await listSignable(sql, { after, count: BATCH_SIZE })
    if (rows.length === 0) return count
    // Keep the signer's minimum: a submit that crashed after raising it can then still publish its leg.
    const ended = await endedOf(signer, rows)
    count += ended.length
    for (const { listingId, floor } of ended)
      await inTransaction(sql, (tx) =>
        moveListing(tx, listingId, 'cancelled', { reason, now: clock(), floor }),
      )
    after = rows.at(-1)!.listingId
  }
}

/**
 * Broadcasts the recovery of a batch, which returns its inscriptions to their seller. It spends all coins of the batch, so all items must
 * be in escrow. Otherwise logs what the seller must do.
 */
export async function sendRecovery(context: Context, recoveryBatch: string): Promise<void> {
  const { sql, signer, clock } = context
  const batch = await listBatch(sql, recoveryBatch)
  const stranded = batch.filter((listing) => listing.transferHeight !== null && listing.state !== 'sold')
  const holders = batch.map((listing) => listing.recoveryHandle)
  const isWhole = stranded.length === batch.length && stranded.every(({ state }) => !LIVE.includes(state))
  if (!isWhole || (await countHeld(sql, holders)) < batch.length) {
    // A concurrent delisting or job may have written the recovery.
    if (await isHandleWritten(sql, recoveryBatch)) return
    const reason =
      'its inscription is in escrow: withdraw or relist it (POST /escrows/reclaim, /escrows/relist)'
    const ended = stranded.filter(({ state }) => !LIVE.includes(state))
    await inTransaction(sql, (tx) => noteOnce(tx, ended, reason, clock()))
    return
  }
  const escrows = batch.map((listing) => unpack<ListingTerms>(listing.terms))
  const recovery = await signer.signReclaim({
    escrows,
    feeCoins: escrows.map((terms) => terms.recoveryCoin),
    signatures: batch.map((listing) => listing.recoverySignature!),
  })
  await inTransaction(sql, async (tx) => {
    const coins = batch.map((listing) => unpack<ListingTerms>(listing.terms).recoveryCoin)
    const transfers = batch.map((listing) => listing.transferTxid)
    const causes = await listTransferCauses(tx, transfers, 'recovery')
    await writeTransaction(
      tx,
      recovery,
      { purpose: 'recovery', handle: recoveryBatch, holders, causes },
      coins,
    )
    await noteOnce(tx, stranded, `its inscription goes back to its seller in ${recovery.txid}`, clock())
  })
  await sendWritten(context, { ...recovery, handle: recoveryBatch })
}

async function noteOnce(
  tx: Transaction,
  listings: readonly ListingRow[],
  reason: string,
  now: Date,
): Promise<void> {
  for (const listing of listings) {
    const events = await listOrderEvents(tx, listing.listingId)
    if (!events.some((event) => event.reason === reason)) await noteListings(tx, [listing], { reason, now })
  }
}
