import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { Sql } from '../db/connect.ts'
import { conflict } from '../errors.ts'
import type { Node } from './node.ts'
import { findInscription, listLocated } from './queries.ts'

/** Where an inscription is, in a coin that can be traded. */
export interface InscriptionCoin {
  coin: Coin
  /** Offset of its sat in the coin. */
  satOffset: number
}

/**
 * The coin of an inscription: confirmed, unspent also by the mempool, of no other inscription's sat, and large enough for
 * an output. Throws conflict when it is not so now.
 */
export async function inscriptionCoin(
  { sql, node }: { sql: Sql; node: Node },
  inscriptionId: string,
): Promise<InscriptionCoin> {
  const inscription = await findInscription(sql, inscriptionId)
  if (!inscription?.ownerScript || inscription.outputValueSats === null)
    throw conflict(`${inscriptionId} is not held by any output that the index knows`)
  const { txid, vout } = inscription
  const others = (await listLocated(sql, [{ txid, vout }])).filter(
    (row) => row.satOffset !== inscription.satOffset,
  )
  if (others.length > 0)
    throw conflict(`${inscriptionId} shares its coin with ${others[0]!.inscriptionId}: split the coin first`)
  const coin = await node.txOut({ txid, vout })
  if (!coin || coin.confirmations < 1)
    throw conflict(`${inscriptionId} is being moved by a pending transaction`)
  if (coin.valueSats < ANCHOR_SATS)
    throw conflict(
      `${inscriptionId} sits in ${coin.valueSats} sats; at least ${ANCHOR_SATS} are needed to trade it`,
    )
  return {
    coin: { txid, vout, valueSats: coin.valueSats, script: coin.script },
    satOffset: inscription.satOffset,
  }
}
