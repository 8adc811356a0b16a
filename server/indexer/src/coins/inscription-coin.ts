import { formatOutpoint, formatSatpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { conflict, unavailable } from '@ordbook/db/process/errors.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { findBase } from '../inscriptions/adopt-queries.ts'
import { findInscription, findOtherIn, type InscriptionRow } from '../inscriptions/queries.ts'
import { pendingPlace } from '../mempool/pending-place.ts'
import { isImmature } from '../node/maturity.ts'
import type { CoinSource, MempoolSource, TransactionSource } from '../node/source.ts'
import type { Ord } from '../ord/ord.ts'
import { otherContentsOf } from './other-contents.ts'

export interface InscriptionCoin {
  coin: Coin
  satOffset: number
  /** False if the coin is in the mempool. */
  confirmed: boolean
}

/**
 * Returns the coin of an inscription. Throws `conflict` unless the coin is unspent (also in the mempool), confirmed, large enough and without
 * other inscribed sats. With `pending`, accepts an unconfirmed coin.
 */
export async function inscriptionCoin(
  context: {
    sql: Sql
    node: CoinSource & MempoolSource & TransactionSource
    ord: Ord | null
    config: Config
  },
  inscriptionId: string,
  options: { pending: boolean } = { pending: false },
): Promise<InscriptionCoin> {
  const { sql, node } = context
  const inscription = await findInscription(sql, inscriptionId)
  if (!inscription?.ownerScript || inscription.outputValueSats === null)
    throw conflict('inscription-not-held', `${inscriptionId} is not in any indexed output.`)
  const { txid, vout, satOffset } = inscription
  const unspent = await node.txOut({ txid, vout })
  const confirmed = unspent !== null && unspent.confirmations >= 1
  if (confirmed && isImmature(unspent))
    throw conflict(
      'inscription-immature',
      `${inscriptionId} is in a coinbase output, which cannot be spent before 100 confirmations.`,
    )
  // An index that started mid-chain may lack other inscriptions in the moving coin.
  const canTrace = !confirmed && options.pending && (await findBase(sql)) === null
  const pending = canTrace ? await pendingPlace({ sql, node }, inscription) : null
  if (!confirmed && !pending)
    throw conflict('inscription-moving', `${inscriptionId} is being moved by a pending transaction.`)
  if (unspent && isImmature(unspent))
    throw conflict(
      'inscription-immature',
      `${inscriptionId} is in a coinbase output, which cannot be spent before 100 confirmations.`,
    )
  const other = pending ? pending.other : await otherIn(context, inscription)
  if (other)
    throw conflict(
      'inscription-coin-shared',
      `${inscriptionId} shares coin ${formatOutpoint({ txid, vout })} with ${other}. Split the coin first with "ordbook split" or the SDK's split().`,
    )
  const coin = pending ? pending.coin : { txid, vout, valueSats: unspent!.valueSats, script: unspent!.script }
  if (coin.valueSats < ANCHOR_SATS)
    throw conflict(
      'inscription-coin-too-small',
      `${inscriptionId} is in an output of ${coin.valueSats} sats. Trading requires at least ${ANCHOR_SATS} sats.`,
    )
  return { coin, satOffset: pending?.satOffset ?? satOffset, confirmed }
}

async function otherIn(
  context: { sql: Sql; ord: Ord | null; config: Config },
  { inscriptionId, txid, vout, satOffset }: InscriptionRow,
): Promise<string | null> {
  const { sql, ord } = context
  const other = await findOtherIn(sql, { txid, vout }, satOffset)
  if (other !== null || !ord) return other
  const carried = (await otherContentsOf(context, [{ txid, vout }]))!.get(formatOutpoint({ txid, vout }))
  if (!carried)
    throw unavailable(
      'ord-unavailable',
      `The ord server has not indexed the coin of ${inscriptionId} yet. Try again shortly.`,
    )
  const ids = carried.flatMap(({ kind, name }) =>
    kind === 'inscription' && name !== inscriptionId ? [name] : [],
  )
  const candidates = await ord.inscriptions(ids)
  return (
    candidates.find((candidate) => candidate.satpoint !== formatSatpoint({ txid, vout }, satOffset))?.id ??
    null
  )
}
