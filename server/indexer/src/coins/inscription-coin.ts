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
import { carriedBy } from './other-contents.ts'

/** The tradable coin of an inscription, and the inscription's position in it. */
export interface InscriptionCoin {
  coin: Coin
  /** Offset of its sat in the coin. */
  satOffset: number
  /** False if the coin was created by a mempool transaction. */
  confirmed: boolean
}

/**
 * Returns the coin of an inscription. The coin must be unspent (also in the mempool), hold no other inscribed sat, be large enough for an
 * output and, unless `pending` is set, be confirmed. Otherwise throws conflict.
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
    throw conflict('inscription-not-held', `${inscriptionId} is not in any indexed output`)
  const { txid, vout, satOffset } = inscription
  const unspent = await node.txOut({ txid, vout })
  const confirmed = unspent !== null && unspent.confirmations >= 1
  if (confirmed && isImmature(unspent))
    throw conflict(
      'inscription-immature',
      `${inscriptionId} is in a coinbase output, which cannot be spent before 100 confirmations`,
    )
  // An index that began in the middle of the chain may not know other inscriptions that move along.
  const follows = !confirmed && options.pending && (await findBase(sql)) === null
  const pending = follows ? await pendingPlace({ sql, node }, inscription) : null
  if (!confirmed && !pending)
    throw conflict('inscription-moving', `${inscriptionId} is being moved by a pending transaction`)
  if (unspent && isImmature(unspent))
    throw conflict(
      'inscription-immature',
      `${inscriptionId} is in a coinbase output, which cannot be spent before 100 confirmations`,
    )
  const other = pending ? pending.other : await otherIn(context, inscription)
  if (other)
    throw conflict(
      'inscription-coin-shared',
      `${inscriptionId} shares its coin with ${other}, which is on another sat: split the coin ${formatOutpoint({ txid, vout })} first, with "ordbook split" or split() of the SDK`,
    )
  const coin = pending ? pending.coin : { txid, vout, valueSats: unspent!.valueSats, script: unspent!.script }
  if (coin.valueSats < ANCHOR_SATS)
    throw conflict(
      'inscription-coin-too-small',
      `${inscriptionId} sits in ${coin.valueSats} sats; at least ${ANCHOR_SATS} are needed to trade it`,
    )
  return { coin, satOffset: pending?.satOffset ?? satOffset, confirmed }
}

/** Another inscription in the same coin on a different sat; null if there is none. */
async function otherIn(
  context: { sql: Sql; ord: Ord | null; config: Config },
  { inscriptionId, txid, vout, satOffset }: InscriptionRow,
): Promise<string | null> {
  const { sql, ord } = context
  const other = await findOtherIn(sql, { txid, vout }, satOffset)
  if (other !== null || !ord) return other
  const carried = (await carriedBy(context, [{ txid, vout }]))!.get(formatOutpoint({ txid, vout }))
  if (!carried)
    throw unavailable(
      'ord-unavailable',
      `The ord server does not know the coin of ${inscriptionId} yet; try again shortly`,
    )
  const ids = carried.flatMap(({ kind, name }) =>
    kind === 'inscription' && name !== inscriptionId ? [name] : [],
  )
  const beside = await ord.inscriptions(ids)
  return beside.find((each) => each.satpoint !== formatSatpoint({ txid, vout }, satOffset))?.id ?? null
}
