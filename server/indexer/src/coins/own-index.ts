import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { type Fault, unavailable } from '@ordbook/db/process/errors.ts'
import { UTXO_FAILURES } from '../utxos/load-failure.ts'
import { findUtxoState } from '../utxos/load-queries.ts'
import { findUtxoTip, listUtxos } from '../utxos/utxo-queries.ts'
import { scriptHasher } from '../utxos/utxo-row.ts'
import type { AddressIndex } from './address-index.ts'

/** The UTXO set in our database, which the follower loads from the node. `sql` is of the primary: replicas do not have unlogged tables. */
export function ownIndex(sql: Queryable, most: number): AddressIndex {
  return async (script) => {
    const tip = await findUtxoTip(sql)
    const place = tip && { scriptKey: tip.scriptKey, script: scriptHasher(tip.scriptKey)(script) }
    const found = place && (await listUtxos(sql, place, most + 1))
    if (!found) throw await whyNot(sql)
    const coins = found.coins.map(({ txid, vout, valueSats }) => ({
      txid: Buffer.from(txid).reverse().toString('hex'),
      vout,
      valueSats,
    }))
    return { coins, isComplete: true, tipHeight: found.tipHeight }
  }
}

/** Returns why the UTXO set cannot be read: it is loading, or the load failed. */
async function whyNot(sql: Queryable): Promise<Fault> {
  const { failure, percent, phase } = await findUtxoState(sql)
  if (failure)
    return unavailable(
      'address-index-unavailable',
      `The market cannot read the coins of addresses: ${UTXO_FAILURES[failure.is].reason}. Try again later.`,
    )
  const progress = phase === 'reading' && percent !== null ? ` (${Math.floor(percent)} %)` : ''
  return unavailable(
    'address-index-building',
    `The market is reading the coins of all addresses${progress}. Try again in a few minutes.`,
  )
}
