import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import type { DroppedSpends } from '@ordbook/indexer/mempool/mempool.ts'
import type { Spend } from '@ordbook/indexer/mempool/mempool-queries.ts'

/**
 * Records the coins that an order depends on. All kinds of orders share this table. A coin can back several orders. Rows are kept until the
 * order can no longer become active again.
 */
export async function insertBacking(
  tx: Transaction,
  offerId: string,
  coins: readonly Outpoint[],
): Promise<void> {
  await tx`
    insert into backing_coins (offer_id, txid, vout)
    select ${offerId}, * from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[])
    on conflict do nothing`
}

export async function deleteBacking(sql: Queryable, offerIds: readonly string[]): Promise<void> {
  await sql`delete from backing_coins where offer_id = any(${offerIds as string[]}::uuid[])`
}

export async function markBackingSpent(tx: Transaction, spent: readonly Spend[]): Promise<void> {
  await tx`
    update backing_coins c set gone = s.spender
    from unnest(${spent.map((each) => each.txid)}::text[], ${spent.map((each) => each.vout)}::bigint[],
      ${spent.map((each) => each.spender)}::text[]) as s (txid, vout, spender)
    where c.txid = s.txid and c.vout = s.vout`
}

/** Marks backing coins for a check: these coins, outputs of these transactions, or all. */
export async function recheckCoins(tx: Transaction, of: DroppedSpends | 'all'): Promise<void> {
  if (of === 'all') await tx`update backing_coins set recheck = true where not recheck`
  else
    await tx`
      update backing_coins set recheck = true
      where txid = any(${of.txids as string[]}::text[]) or (txid, vout) in (
        select * from unnest(${of.coins.map((coin) => coin.txid)}::text[], ${of.coins.map((coin) => coin.vout)}::bigint[]))`
}

/** `gone` is its last known spender. */
export interface RecheckedCoin extends Outpoint {
  gone: string | null
}

/** Returns coins after one that back orders and are not known to be spent. */
export function listBackingCoins(
  sql: Queryable,
  last: Outpoint | undefined,
  rows: number,
): Promise<Outpoint[]> {
  return sql<Outpoint[]>`
    select distinct txid, vout from backing_coins
    where gone is null and (txid, vout) > (${last?.txid ?? ''}, ${last?.vout ?? 0}::bigint)
    order by txid, vout limit ${rows}`
}

export function listToRecheck(sql: Queryable, rows: number): Promise<RecheckedCoin[]> {
  return sql<RecheckedCoin[]>`
    select distinct on (txid, vout) txid, vout, gone from backing_coins where recheck order by txid, vout limit ${rows}`
}

/**
 * Stores the results of the check. Coins that changed in the meantime stay marked. Returns the orders of these coins, each with a spent
 * coin if any. The caller must hold the mempool lock.
 */
export function setAnswers(
  tx: Transaction,
  answers: readonly (RecheckedCoin & { there: boolean })[],
): Promise<{ offerId: string; txid: string | null; vout: number | null; gone: string | null }[]> {
  return tx<{ offerId: string; txid: string | null; vout: number | null; gone: string | null }[]>`
    with answered as (
      update backing_coins c set recheck = false,
        gone = case when a.there = 1 then null else coalesce(c.gone, 'another transaction') end
      from unnest(${answers.map((each) => each.txid)}::text[], ${answers.map((each) => each.vout)}::bigint[],
        ${answers.map((each) => Number(each.there))}::int[], ${answers.map((each) => each.gone)}::text[])
        as a (txid, vout, there, gone)
      where c.txid = a.txid and c.vout = a.vout and c.gone is not distinct from a.gone
        and (a.there = 0 or not exists (select 1 from mempool_spends m where m.txid = c.txid and m.vout = c.vout))
      returning c.offer_id, c.txid, c.vout, c.gone
    ), now as (
      select offer_id, txid, vout, gone from answered
      union select c.offer_id, c.txid, c.vout, c.gone from backing_coins c
        where c.offer_id in (select offer_id from answered) and (c.txid, c.vout) not in (select txid, vout from answered)
    )
    select distinct on (offer_id) offer_id, case when gone is not null then txid end as txid,
      case when gone is not null then vout end as vout, gone
    from now order by offer_id, gone nulls last`
}

export const isAnyBacking = async (tx: Transaction): Promise<boolean> =>
  (await tx`select 1 from backing_coins limit 1`).length > 0

/** Returns the orders that depend on these coins, each with one spend. */
export function listDependents(
  tx: Transaction,
  spent: readonly Spend[],
): Promise<(Spend & { offerId: string })[]> {
  return tx<(Spend & { offerId: string })[]>`
    select distinct on (c.offer_id) c.offer_id, s.txid, s.vout, s.spender
    from unnest(${spent.map((each) => each.txid)}::text[], ${spent.map((each) => each.vout)}::bigint[],
      ${spent.map((each) => each.spender)}::text[]) as s (txid, vout, spender)
    join backing_coins c on c.txid = s.txid and c.vout = s.vout
    order by c.offer_id`
}
