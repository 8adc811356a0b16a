import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { first, json, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import { insertCauses } from '../market-coins/ledger-queries.ts'
import { insertChange } from './change-queries.ts'
import type { Sent } from './sent.ts'

export type SettlementState = 'intended' | 'broadcast' | 'confirmed' | 'failed'

export interface SettlementRow {
  settlementId: string
  kind: string
  settlementTxid: string
  inscriptionIds: string[]
  /** In broadcast order. */
  transactions: Sent[]
  state: SettlementState
  failure: string | null
  broadcastHeight: number | null
  confirmedHeight: number | null
  bump: { txid: string; feeSats: number } | null
  /** Binding of the wallet that submitted the trade. */
  causedBy: string | null
}

const columns = (sql: Queryable) => sql`
  settlement_id, kind, settlement_txid, inscription_ids, transactions, state, failure, broadcast_height,
  confirmed_height, bump, caused_by`

/** Stores a settlement before its broadcast. It then settles or fails, even after a crash. */
export async function insertSettlement(
  tx: Transaction,
  row: Pick<
    SettlementRow,
    'settlementId' | 'kind' | 'settlementTxid' | 'inscriptionIds' | 'transactions' | 'causedBy'
  > & {
    /** Change that can pay for another trade. Empty if it may contain runes or inscriptions. */
    change: readonly Coin[]
    /** Sats that the buyer pays for anchors. */
    refundSats: number
  },
): Promise<void> {
  await tx`
    insert into settlements (settlement_id, kind, settlement_txid, inscription_ids, transactions, state, caused_by)
    values (${row.settlementId}, ${row.kind}, ${row.settlementTxid}, ${row.inscriptionIds},
      ${json(tx, row.transactions)}, 'intended', ${row.causedBy})`
  await insertChange(tx, row.settlementId, row.change)
  const cause = { walletBindingId: row.causedBy, orderId: row.settlementId }
  for (const { txid, transfers } of row.transactions)
    if (transfers) await insertCauses(tx, txid, [{ purpose: 'transfer', ...cause }])
  await insertCauses(tx, row.settlementTxid, [
    { purpose: 'revenue', ...cause },
    { purpose: 'refund', ...cause, sats: row.refundSats },
  ])
}

export function findSettlement(sql: Queryable, settlementId: string) {
  return first(
    sql<SettlementRow[]>`select ${columns(sql)} from settlements where settlement_id = ${settlementId}`,
  )
}

/** Returns a broadcast settlement by its txid. */
export function findBySettlementTxid(sql: Queryable, kind: string, settlementTxid: string) {
  return first(sql<SettlementRow[]>`
    select ${columns(sql)} from settlements
    where settlement_txid = ${settlementTxid} and kind = ${kind} and state in ('broadcast', 'confirmed')`)
}

/** Returns unconfirmed settlements (index settlements_live). */
export function listLive(sql: Queryable): Promise<SettlementRow[]> {
  return sql<
    SettlementRow[]
  >`select ${columns(sql)} from settlements where state in ('intended', 'broadcast') order by created_at`
}

/** Records a broadcast. Returns false if it was already recorded. */
export async function moveToBroadcast(
  tx: Transaction,
  settlementId: string,
  height: number,
): Promise<boolean> {
  const rows = await tx`
    update settlements set state = 'broadcast', broadcast_height = ${height}
    where settlement_id = ${settlementId} and state = 'intended' returning 1`
  return rows.length === 1
}

/** Marks a settlement as failed. Returns false if it is no longer in the given state, which must be `intended` or `broadcast`. */
export async function moveToFailed(
  tx: Transaction,
  { settlementId, state }: Pick<SettlementRow, 'settlementId' | 'state'>,
  failure: string,
): Promise<boolean> {
  const rows = await tx`
    update settlements set state = 'failed', failure = ${failure}
    where settlement_id = ${settlementId} and state = ${state} returning 1`
  return rows.length === 1
}

export async function setFailure(tx: Transaction, settlementId: string, failure: string): Promise<void> {
  await tx`update settlements set failure = ${failure} where settlement_id = ${settlementId}`
}

export async function setBump(
  tx: Transaction,
  settlementId: string,
  bump: { txid: string; feeSats: number } | null,
): Promise<void> {
  await tx`update settlements set bump = ${bump && json(tx, bump)} where settlement_id = ${settlementId}`
}

export const isAnySettlement = async (tx: Transaction): Promise<boolean> =>
  (await tx`select 1 from settlements limit 1`).length > 0

/** Marks settlements as confirmed. Returns them with their previous state. */
export function confirmSettlements(
  tx: Transaction,
  txids: readonly string[],
  height: number,
): Promise<(SettlementRow & { before: SettlementState })[]> {
  return tx<(SettlementRow & { before: SettlementState })[]>`
    with old as (
      select settlement_id, state as before from settlements
      where settlement_txid = any(${txids as string[]}::text[]) for no key update
    ), moved as (
      update settlements s set state = 'confirmed', confirmed_height = ${height}
      from old where s.settlement_id = old.settlement_id returning s.*, old.before
    )
    select ${columns(tx)}, before from moved`
}

/** Returns the prices of the sales in a transaction. */
export function listPricesIn(
  sql: Queryable,
  txid: string,
): Promise<{ inscriptionId: string; priceSats: number }[]> {
  return sql<{ inscriptionId: string; priceSats: number }[]>`
    select inscription_id, price_sats from sales where txid = ${txid} order by inscription_id`
}

/** Undoes the confirmations of a block. Returns the affected settlements. */
export function unconfirmSettlements(tx: Transaction, height: number): Promise<SettlementRow[]> {
  return tx<SettlementRow[]>`
    with moved as (
      update settlements set state = 'broadcast', confirmed_height = null where confirmed_height = ${height} returning *
    )
    select ${columns(tx)} from moved`
}

/** Claims coins for a settlement. Returns false if another settlement has claimed one (index settlement_coins_live). */
export async function claimCoins(
  tx: Transaction,
  settlementId: string,
  coins: readonly Outpoint[],
): Promise<boolean> {
  const rows = await tx`
    insert into settlement_coins (settlement_id, txid, vout, live)
    select ${settlementId}, o.txid, o.vout, true
    from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as o (txid, vout)
    on conflict do nothing returning 1`
  return rows.length === coins.length
}

/** Claims a settlement's coins again, or releases them. Does not claim coins that another settlement has claimed. */
export async function setCoinsLive(tx: Transaction, settlementId: string, live: boolean): Promise<void> {
  await tx`
    update settlement_coins c set live = ${live}
    where settlement_id = ${settlementId} and not (${live} and exists (
      select 1 from settlement_coins o where o.txid = c.txid and o.vout = c.vout and o.live))`
}

export function listClaimed(sql: Queryable, coins: readonly Outpoint[]): Promise<Outpoint[]> {
  return sql<Outpoint[]>`
    select c.txid, c.vout
    from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as o (txid, vout)
    join settlement_coins c on c.txid = o.txid and c.vout = o.vout and c.live`
}
