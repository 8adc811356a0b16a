import type { Transaction } from '../db/connect.ts'
import { conflict } from '../errors.ts'
import { moveListing } from './lifecycle.ts'
import { lockLiveListing } from './queries.ts'
import { recheckListings } from './recheck.ts'

/**
 * Takes the live listing of an inscription, where there is one, out of the book while a trade beside it is under way. Its
 * block then ends the listing, as the inscription moves. Throws conflict when the listing is being bought.
 */
export async function lockListing(
  tx: Transaction,
  inscriptionId: string,
  why: { reason: string; now: Date },
): Promise<void> {
  const live = await lockLiveListing(tx, inscriptionId)
  if (live && !(await moveListing(tx, live.listingId, 'hidden_locked', why)))
    throw conflict('inscription-in-trade', `${inscriptionId} is being bought right now`)
}

/** Puts the listing back: the trade beside it came to nothing. */
export async function unlockListing(
  tx: Transaction,
  inscriptionId: string,
  why: { reason: string; now: Date },
): Promise<void> {
  await recheckListings(tx, { inscriptionIds: [inscriptionId] }, why)
}
