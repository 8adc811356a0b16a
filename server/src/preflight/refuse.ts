import { BitcoinError, type BitcoinErrorCode } from '@ordbook/bitcoin/errors.ts'
import type { ErrorCode } from '@ordbook/contract/errors.ts'
import { type Signer, SignerRefusal, SpentRefusal } from '@ordbook/signer/requests.ts'
import { conflict, invalid, unavailable } from '../errors.ts'
import type { LegRow } from '../escrows/leg-queries.ts'
import { endedOf } from '../escrows/legs.ts'

/** The kernel's findings in what a client sent, as the API names them. */
const CODES: Record<BitcoinErrorCode, ErrorCode<'invalid'>> = {
  'address-invalid': 'address-invalid',
  'key-mismatch': 'key-mismatch',
  'psbt-malformed': 'psbt-malformed',
  'transaction-malformed': 'psbt-malformed',
  'block-malformed': 'request-invalid',
  'transaction-changed': 'transaction-changed',
  'input-unsigned': 'input-unsigned',
  'wrong-sighash': 'wrong-sighash',
  'signature-invalid': 'signature-invalid',
  'escrow-key-path-signed': 'escrow-key-path-signed',
  'escrow-other-leaf-signed': 'escrow-other-leaf-signed',
  'escrow-finalised': 'escrow-finalised',
  'generation-invalid': 'request-invalid',
  'inscription-misplaced': 'inscription-misplaced',
  'amounts-differ': 'transaction-changed',
  'output-below-dust': 'amounts-unpayable',
  'coins-insufficient': 'coins-insufficient',
  'coins-fragmented': 'coins-fragmented',
  'tail-too-small': 'amounts-unpayable',
  'payout-too-small': 'amounts-unpayable',
  'change-too-small': 'amounts-unpayable',
  'criteria-unmet': 'criteria-unmet',
  'sats-out-of-range': 'amounts-unpayable',
}

/** Runs a kernel check of what a client sent; its BitcoinError becomes an invalid fault that names the field. */
export function refuseBitcoin<T>(check: () => T, field: string): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof BitcoinError) throw invalid(CODES[error.code], `${field}: ${error.message}`, error)
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
      throw unavailable(
        'fee-budget-spent',
        'The market has spent what it may on fees for now; try again later',
        error,
      )
    if (error instanceof SignerRefusal && (await endedOf(signer, legs)).length > 0)
      throw conflict(
        'listing-not-buyable',
        'Its seller has taken this back: it can no longer be bought',
        error,
      )
    throw error
  }
}
