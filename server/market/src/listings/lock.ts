import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import { moveListing } from './lifecycle.ts'
import { lockLiveListing } from './queries.ts'
import { recheckListings } from './recheck.ts'

/** Hides an active listing during another trade of its inscription. Throws `conflict` if the listing is being bought. */
export async function lockListing(
  tx: Transaction,
  inscriptionId: string,
  why: { reason: string; now: Date },
): Promise<void> {
  const live = await lockLiveListing(tx, inscriptionId)
  if (live && !(await moveListing(tx, live.listingId, 'hidden_locked', why)))
    throw conflict('inscription-in-trade', `A purchase of ${inscriptionId} is in progress.`)
}

/** Makes the listing visible again after the other trade has failed. */
export async function unlockListing(
  tx: Transaction,
  inscriptionId: string,
  why: { reason: string; now: Date },
): Promise<void> {
  await recheckListings(tx, { inscriptionIds: [inscriptionId] }, why)
}
