import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { first, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'

export interface Spend extends Outpoint {
  spender: string
}

/** Advisory lock on `mempool_spends`, for writers and transactions that rely on it. */
const MEMPOOL_LOCK = 7_281_005

/** Prevents changes of `mempool_spends` until the transaction ends. */
export async function lockMempoolView(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock_shared(${MEMPOOL_LOCK})`
}

export async function lockMempool(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${MEMPOOL_LOCK})`
}

/**
 * Records a finished poll. If it relied on earlier ones and PostgreSQL has emptied the table after a crash, records nothing and returns
 * false.
 */
export async function recordPoll(
  sql: Queryable,
  { transactionCount, reliesOnEarlier }: { transactionCount: number; reliesOnEarlier: boolean },
): Promise<boolean> {
  const rows = await sql`
    insert into mempool_poll (polled_at, transaction_count)
    select clock_timestamp(), ${transactionCount}::int
    where not ${reliesOnEarlier}::boolean or exists (select 1 from mempool_poll where polled_at is not null)
    on conflict (one) do update set polled_at = excluded.polled_at, transaction_count = excluded.transaction_count,
      unread = null
    returning 1`
  return rows.length > 0
}

export async function recordProgress(sql: Queryable, unread: number): Promise<void> {
  await sql`
    insert into mempool_poll (unread) values (${unread}) on conflict (one) do update set unread = excluded.unread`
}

/** The last finished poll. `unread` belongs to the poll in progress, if any. */
export interface MempoolPoll {
  /** Seconds since the last poll ended; null before the first. */
  ageSeconds: number | null
  transactionCount: number | null
  unread: number | null
}

export function findLastPoll(sql: Queryable) {
  return first(sql<MempoolPoll[]>`
    select extract(epoch from clock_timestamp() - polled_at)::float8 as age_seconds, transaction_count, unread
    from mempool_poll`)
}

export async function listSpenders(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ spender: string }[]>`select distinct spender from mempool_spends`
  return rows.map((row) => row.spender)
}

/** Deletes the spends of these transactions and returns the coins. */
export async function deleteSpends(tx: Transaction, spenders: readonly string[]): Promise<Outpoint[]> {
  return tx<Outpoint[]>`
    delete from mempool_spends where spender = any(${spenders as string[]}::text[]) returning txid, vout`
}

export async function insertSpends(tx: Transaction, spends: readonly Spend[]): Promise<void> {
  if (spends.length === 0) return
  await tx`
    insert into mempool_spends (txid, vout, spender)
    select * from unnest(${spends.map((spend) => spend.txid)}::text[], ${spends.map((spend) => spend.vout)}::bigint[],
      ${spends.map((spend) => spend.spender)}::text[])
    on conflict (txid, vout) do update set spender = excluded.spender`
}

/** Returns coins spent in the mempool, as of the last poll. */
export function listSpentInMempool(sql: Queryable, coins: readonly Outpoint[]): Promise<Spend[]> {
  return sql<Spend[]>`
    select s.txid, s.vout, s.spender
    from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as o (txid, vout)
    join mempool_spends s on s.txid = o.txid and s.vout = o.vout`
}
