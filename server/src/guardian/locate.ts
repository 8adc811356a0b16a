import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { traceBack } from '@ordbook/bitcoin/trace.ts'
import type { Node } from '../chain/node.ts'
import { findInscription } from '../chain/queries.ts'
import type { Queryable } from '../db/connect.ts'
import { unavailable } from '../errors.ts'
import type { IsIn } from './guardian.ts'

/** By our own index: for a guardian in the server, who has nothing better. */
export function byIndex(sql: Queryable): IsIn {
  return async (inscriptionId, coin, satOffset) => {
    const found = await findInscription(sql, inscriptionId)
    return found?.txid === coin.txid && found.vout === coin.vout && found.satOffset === satOffset
  }
}

/**
 * By a node alone, with a transaction index: the sat is followed back to the inscription's reveal. For a guardian of its
 * own, who need not believe the server's index. Throws unavailable when the node lacks a transaction.
 */
export function byNode(node: Node): IsIn {
  return async (inscriptionId, coin, satOffset) => {
    const unspent = await node.txOut(coin, { mempool: false })
    if (unspent?.valueSats !== coin.valueSats) return false
    try {
      await traceBack(inscriptionId, coin, satOffset, async (txid) => {
        const tx = await node.transaction(txid)
        if (!tx) throw unavailable(`The guardian's node has no transaction ${txid}: it needs txindex=1`)
        return tx
      })
      return true
    } catch (error) {
      if (error instanceof BitcoinError) return false
      throw error
    }
  }
}
