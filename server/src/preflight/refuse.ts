import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { type Signer, SignerRefusal, SpentRefusal } from '@ordbook/signer/requests.ts'
import { conflict, invalid, unavailable } from '../errors.ts'
import type { LegRow } from '../escrows/leg-queries.ts'
import { endedOf } from '../escrows/legs.ts'

/** Runs a kernel check of what a client sent; its BitcoinError becomes an invalid fault that names the field. */
export function refuseBitcoin<T>(check: () => T, field: string): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof BitcoinError) throw invalid(`${field}: ${error.message}`, error)
    throw error
  }
}

/**
 * Signs for listings or counters. Throws conflict when the signer refuses a leg as revoked, unavailable when it has spent its
 * sats of the day.
 */
export async function refuseRevoked<T>(
  signer: Signer,
  legs: readonly LegRow[],
  sign: () => Promise<T>,
): Promise<T> {
  try {
    return await sign()
  } catch (error) {
    if (error instanceof SpentRefusal)
      throw unavailable('The market has spent what it may on fees for now; try again later', error)
    if (error instanceof SignerRefusal && (await endedOf(signer, legs)).length > 0)
      throw conflict('Its seller has taken this back: it can no longer be bought', error)
    throw error
  }
}
