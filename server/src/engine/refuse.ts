import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { type Signer, SignerRefusal } from '@ordbook/signer/requests.ts'
import { conflict, invalid } from '../errors.ts'

/** Runs a kernel check of what a client sent; its BitcoinError becomes an invalid fault that names the field. */
export function refuseBitcoin<T>(check: () => T, field: string): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof BitcoinError) throw invalid(`${field}: ${error.message}`, error)
    throw error
  }
}

/** Signs for listings or counters. Throws conflict where the signer refuses because one of their transfers is revoked. */
export async function refuseRevoked<T>(
  signer: Signer,
  transferTxids: readonly string[],
  sign: () => Promise<T>,
): Promise<T> {
  try {
    return await sign()
  } catch (error) {
    if (error instanceof SignerRefusal && (await signer.revoked(transferTxids)).length > 0)
      throw conflict('Its seller has taken this back: it can no longer be bought', error)
    throw error
  }
}
