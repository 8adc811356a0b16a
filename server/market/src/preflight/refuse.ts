import { BitcoinError, type BitcoinErrorCode } from '@ordbook/bitcoin/errors.ts'
import type { Steps } from '@ordbook/bitcoin/steps.ts'
import type { ErrorCode } from '@ordbook/contract/errors.ts'
import { invalid } from '@ordbook/db/process/errors.ts'
import { runYielding } from '@ordbook/signer/yield.ts'

/** API error codes for client input that the bitcoin package rejects. */
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
  'trace-too-long': 'request-invalid',
  'amounts-differ': 'transaction-changed',
  'output-below-dust': 'amounts-unpayable',
  'coins-insufficient': 'coins-insufficient',
  'coins-fragmented': 'coins-fragmented',
  'tail-too-small': 'amounts-unpayable',
  'payout-too-small': 'amounts-unpayable',
  'change-too-small': 'amounts-unpayable',
  'criteria-unmet': 'criteria-unmet',
  'sats-out-of-range': 'amounts-unpayable',
  'nothing-to-split': 'request-invalid',
  'sats-too-close': 'request-invalid',
}

/** Runs a check of client input. Converts a BitcoinError into an invalid fault for `field`. */
export function toFault<T>(check: () => T, field: string): T {
  try {
    return check()
  } catch (error) {
    throw refusalOf(error, field)
  }
}

/** Like `toFault`, for a long check that yields to the event loop. */
export async function toFaultInSteps<T>(check: () => Steps<T>, field: string): Promise<T> {
  try {
    return await runYielding(check())
  } catch (error) {
    throw refusalOf(error, field)
  }
}

const refusalOf = (error: unknown, field: string): unknown =>
  error instanceof BitcoinError ? invalid(CODES[error.code], `${field}: ${error.message}`, error) : error
