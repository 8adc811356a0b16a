import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { delistListing as delistOperation } from '@ordbook/contract/listings.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { conflict, forbidden, invalid, missing } from '@ordbook/db/process/errors.ts'
import { getOwnBinding } from '../auth/me.ts'
import { getCollection } from '../collections/inscriptions.ts'
import { sendFloors } from '../escrows/floors.ts'
import { rejectDuplicateListings } from '../preflight/duplicates.ts'
import type { UseCase } from '../use-case.ts'
import { moveListing } from './lifecycle.ts'
import { listListingsById } from './queries.ts'
import { sendRecovery } from './recover.ts'

/**
 * Cancels listings, all or none. After the response, neither the market nor the signer signs their sale. The jobs then spend the anchors,
 * and the order log records when the cancel is final. Idempotent.
 */
export const delistListing: UseCase<typeof delistOperation> = async (context, call) => {
  const { sql, clock, log } = context
  const { session, params, body: input } = call
  const collection = await getCollection(context, params.slug)
  const binding = await getOwnBinding(context, session, input.walletBindingId)
  rejectDuplicateListings(input.listings)
  const ids = input.listings.map((each) => each.listingId.toLowerCase())

  const rows = await listListingsById(sql, ids)
  for (const [i, { listingId, inscriptionId }] of input.listings.entries()) {
    const row = rows.find((each) => each.listingId === ids[i])
    if (!row) throw missing('listing-unknown', `Listing ${listingId} not found.`)
    if (!equalBytes(row.sellerScript, binding.ordinalsScript))
      throw forbidden('order-not-yours', `Listing ${listingId} belongs to another wallet.`)
    if (row.inscriptionId !== inscriptionId)
      throw invalid('listing-mismatched', `Listing ${listingId} is for another inscription.`)
    if (row.collectionId !== collection.collectionId)
      throw invalid('not-in-collection', `Listing ${listingId} is not in collection ${collection.slug}.`)
  }

  await inTransaction(sql, async (tx) => {
    const why = { reason: 'delisted by its seller', now: clock() }
    for (const { listingId, state } of rows)
      if (
        state !== 'cancelled' &&
        !(await moveListing(tx, listingId, 'cancelled', why)) &&
        // A duplicate request may have won the race.
        (await listListingsById(tx, [listingId]))[0]?.state !== 'cancelled'
      )
        throw conflict(
          'listing-ended',
          `Listing ${listingId} is no longer active, or its purchase is in progress.`,
        )
  })
  // A database restored from a backup could otherwise make the listings active again.
  await sendFloors(context)
  const stranded = new Set(rows.filter((row) => row.transferHeight !== null).map((row) => row.recoveryBatch))
  for (const recoveryBatch of stranded)
    await sendRecovery(context, recoveryBatch).catch((error: unknown) =>
      log.warn({ err: error, recoveryBatch }, 'failed to send a recovery, jobs will retry'),
    )

  return { listings: rows.map(({ inscriptionId, listingId }) => ({ inscriptionId, listingId })) }
}
