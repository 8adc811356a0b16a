import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { findInscription } from '@ordbook/indexer/inscriptions/queries.ts'
import type { IsIn } from '@ordbook/signer/guardian/guardian.ts'

/** Returns the location check of a guardian in this process. */
export function byIndex(sql: Queryable): IsIn {
  return async (inscriptionId, coin, satOffset) => {
    const found = await findInscription(sql, inscriptionId)
    return found?.txid === coin.txid && found.vout === coin.vout && found.satOffset === satOffset
  }
}
