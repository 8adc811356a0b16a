import { first, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import { giveUpCoins, releaseCoins } from './queries.ts'

export type Purpose = 'split' | 'merge' | 'void' | 'recovery' | 'bump' | 'reclaim' | 'move'

export interface MarketTransactionRow {
  txid: string
  handle: string
  rawHex: string
  purpose: Purpose
}

export async function insertMarketTransaction(tx: Transaction, row: MarketTransactionRow): Promise<void> {
  await tx`
    insert into market_transactions (txid, handle, raw_hex, state, purpose)
    values (${row.txid}, ${row.handle}, ${row.rawHex}, 'intended', ${row.purpose})
    on conflict (txid) do update set state = 'intended', handle = excluded.handle
    where market_transactions.state = 'failed'`
}

export function listIntendedTransactions(sql: Queryable): Promise<MarketTransactionRow[]> {
  return sql<MarketTransactionRow[]>`
    select txid, handle, raw_hex, purpose from market_transactions where state = 'intended' order by created_at`
}

export function findWritten(sql: Queryable, txid: string) {
  return first(sql<(MarketTransactionRow & { state: 'intended' | 'confirmed' | 'failed' })[]>`
    select txid, handle, raw_hex, purpose, state from market_transactions where txid = ${txid}`)
}

export async function isUnderWay(sql: Queryable, purpose: Purpose): Promise<boolean> {
  const rows =
    await sql`select 1 from market_transactions where state = 'intended' and purpose = ${purpose} limit 1`
  return rows.length > 0
}

export async function failMarketTransaction(tx: Transaction, txid: string, handle: string): Promise<void> {
  const [failed] = await tx<Pick<MarketTransactionRow, 'purpose'>[]>`
    update market_transactions set state = 'failed' where txid = ${txid} and state = 'intended' returning purpose`
  if (!failed) return
  await giveUpCoins(tx, txid, handle)
  // No order will use its anchors: a repeated reclaim takes others.
  if (failed.purpose === 'reclaim') await releaseCoins(tx, [handle])
}

/** Returns true if a transaction of this handle is stored and has not failed. */
export async function isHandleWritten(sql: Queryable, handle: string): Promise<boolean> {
  const rows = await sql`
    select 1 from market_transactions where handle = ${handle} and state in ('intended', 'confirmed')`
  return rows.length > 0
}
