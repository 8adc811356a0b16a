import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { first, type Queryable, type Transaction } from '../db/connect.ts'

/** An output, and the transaction that spends it. */
export interface Spend extends Outpoint {
  spender: string
}

/** Any fixed number. Writers of `mempool_spends`, and transactions that rely on it, take turns. */
const MEMPOOL_LOCK = 7_281_005

/** Waits for a change of `mempool_spends` under way and holds the next off until the transaction ends. */
export async function holdMempool(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock_shared(${MEMPOOL_LOCK})`
}

/** As `holdMempool`, for the writer. */
export async function lockMempool(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${MEMPOOL_LOCK})`
}

/** Records a finished look at the mempool and its size. Both times of a look are by the clock of the database. */
export async function recordLook(sql: Queryable, transactionCount: number): Promise<void> {
  await sql`
    insert into mempool_look (looked_at, transaction_count) values (clock_timestamp(), ${transactionCount})
    on conflict (one) do update set looked_at = excluded.looked_at, transaction_count = excluded.transaction_count,
      unread = null`
}

/** Notes how many transactions a look under way has still to read. */
export async function recordProgress(sql: Queryable, unread: number): Promise<void> {
  await sql`
    insert into mempool_look (unread) values (${unread}) on conflict (one) do update set unread = excluded.unread`
}

/** The last look at the mempool; `unread` of one that is under way. */
export interface Look {
  /** Seconds since the last look ended; null before the first. */
  ageSeconds: number | null
  transactionCount: number | null
  unread: number | null
}

/** Null before the first look. */
export function findLook(sql: Queryable) {
  return first(sql<Look[]>`
    select extract(epoch from clock_timestamp() - looked_at)::float8 as age_seconds, transaction_count, unread
    from mempool_look`)
}

export async function listSpenders(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ spender: string }[]>`select distinct spender from mempool_spends`
  return rows.map((row) => row.spender)
}

/** Forgets what these transactions spend; gives the coins. */
export async function deleteSpends(tx: Transaction, spenders: readonly string[]): Promise<Outpoint[]> {
  return tx<Outpoint[]>`
    delete from mempool_spends where spender = any(${spenders as string[]}::text[]) returning txid, vout`
}

export async function insertSpends(tx: Transaction, spends: readonly Spend[]): Promise<void> {
  if (spends.length === 0) return
  await tx`
    insert into mempool_spends (txid, vout, spender)
    select * from unnest(${spends.map((each) => each.txid)}::text[], ${spends.map((each) => each.vout)}::bigint[],
      ${spends.map((each) => each.spender)}::text[])
    on conflict (txid, vout) do update set spender = excluded.spender`
}

/** Of these coins, those that the mempool spends as far as we have seen. */
export function listSpentInMempool(sql: Queryable, coins: readonly Outpoint[]): Promise<Spend[]> {
  return sql<Spend[]>`
    select s.txid, s.vout, s.spender
    from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as o (txid, vout)
    join mempool_spends s on s.txid = o.txid and s.vout = o.vout`
}
